import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ciTemplate, ciTemplateNames } from '../../../src/code/templates/ci-templates.ts';
import { fillLicensePlaceholders, licenses, licenseText } from '../../../src/code/templates/licenses.ts';
import { addUser } from '../../support/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('license templates', () => {
  it('replace only placeholders', () => {
    const filling = { year: 2026, fullname: 'A $& B', project: 'Hearth' };
    assert.equal(
      fillLicensePlaceholders('Copyright (c) <year> <copyright holders>', filling),
      'Copyright (c) 2026 A $& B',
    );
    assert.equal(
      fillLicensePlaceholders('Copyright [yyyy] [name of copyright owner]', filling),
      'Copyright 2026 A $& B',
    );
    assert.equal(fillLicensePlaceholders('Copyright (c) <year> <owner>', { year: 2026 }), 'Copyright (c) 2026 <owner>');
    assert.equal(fillLicensePlaceholders('see <https://fsf.org/>', filling), 'see <https://fsf.org/>');
  });

  it('all have a text', async () => {
    for (const license of licenses) assert.ok((await licenseText(license)).length > 200, license.key);
  });
});

describe('templates API', () => {
  let server: TestServer;
  let owner: { token: string };
  let project: { id: number };

  before(async () => {
    server = await startTestServer('sqlite');
    owner = await addUser(server, 'owner');
    project = await server.must('POST /projects', { token: owner.token, json: { name: 'Templates' } });
    for (const path of [
      'issue_templates/Bug.md',
      'issue_templates/notes.txt',
      'merge_request_templates/Big change.md',
    ]) {
      await server.must(`POST /projects/${project.id}/repository/files/${encodeURIComponent(`.gitlab/${path}`)}`, {
        token: owner.token,
        json: { branch: 'main', content: `Text of ${path}`, commit_message: 'Add a template' },
      });
    }
  });

  it('lists built-in templates with pagination', async () => {
    for (const kind of ['gitignores', 'gitlab_ci_ymls', 'dockerfiles']) {
      const listed = await server.api(`GET /templates/${kind}?per_page=5&page=2`, { token: null });
      assert.equal(listed.status, 200);
      assert.equal(listed.body.length, 5);
      const [{ key, name }] = listed.body;
      assert.equal(key, name);
      const one = await server.must(`GET /templates/${kind}/${encodeURIComponent(key)}`, { token: null });
      assert.equal(one.name, name);
      assert.ok(one.content.length > 0);
      for (const wrong of ['nothing', '..%2f..%2fpackage', 'constructor']) {
        assert.equal((await server.api(`GET /templates/${kind}/${wrong}`)).status, 404);
      }
    }
    for (const known of ['gitignores/Node', 'gitlab_ci_ymls/Nodejs', 'dockerfiles/Node', 'gitignores/macOS']) {
      assert.equal((await server.api(`GET /templates/${known}`, { token: null })).status, 200, known);
    }
  });

  it('fills in license placeholders', async () => {
    const given = await server.must('GET /templates/licenses/bsd-2-clause?project=P&fullname=Ada%20L', { token: null });
    assert.match(given.content, new RegExp(`Copyright \\(c\\) ${new Date().getUTCFullYear()} Ada L`));
    const own = await server.must('GET /templates/licenses/MIT', { token: owner.token });
    assert.match(own.content, /owner-\d+/);
    const bare = await server.must('GET /templates/licenses/mit', { token: null });
    assert.match(bare.content, /<copyright holders>/);
    const popular = await server.must('GET /templates/licenses?popular=true', { token: null });
    assert.deepEqual(
      popular.map((one: { key: string }) => one.key),
      ['apache-2.0', 'gpl-3.0', 'mit'],
    );
    assert.equal((await server.must('GET /templates/licenses?per_page=100')).length, licenses.length);
    assert.equal((await server.api('GET /templates/licenses/wtfpl2')).status, 404);
  });

  it('includes the templates of a project for users who can read it', async () => {
    const path = `/projects/${project.id}/templates`;
    const { token } = owner;
    assert.deepEqual(await server.must(`GET ${path}/issues`, { token }), [{ key: 'Bug', name: 'Bug' }]);
    assert.deepEqual(await server.must(`GET ${path}/issues/Bug`, { token }), {
      name: 'Bug',
      content: 'Text of issue_templates/Bug.md',
    });
    const big = await server.must(`GET ${path}/merge_requests/Big%20change`, { token });
    assert.equal(big.content, 'Text of merge_request_templates/Big change.md');
    assert.equal((await server.api(`GET ${path}/issues/..%2f..%2fsecret`, { token })).status, 404);
    assert.equal((await server.api(`GET ${path}/issues/Feature`, { token })).status, 404);
    assert.equal((await server.api(`GET ${path}/poems`, { token })).status, 400);
    const license = await server.must(`GET ${path}/licenses/apache-2.0`, { token });
    assert.match(license.content, /Copyright \d{4} owner-\d+/);
    assert.equal((await server.must(`GET ${path}/gitignores/Node`, { token })).name, 'Node');
    const stranger = await addUser(server);
    assert.equal((await server.api(`GET ${path}/issues`, { token: stranger.token })).status, 404);
    const other = await server.must('POST /projects', { token: stranger.token, json: { name: 'Other' } });
    const elsewhere = `GET /projects/${other.id}/templates/issues/Bug?source_template_project_id=${project.id}`;
    assert.equal((await server.api(elsewhere, { token: stranger.token })).status, 404);
  });

  it('returns valid CI configurations', async () => {
    assert.ok(ciTemplateNames.length > 20);
    for (const name of ciTemplateNames) {
      const json = { content: ciTemplate(name) };
      const { valid, errors } = await server.must(`POST /projects/${project.id}/ci/lint`, { token: owner.token, json });
      assert.ok(valid, `${name}: ${errors}`);
    }
  });

  it('includes templates of the group and the instance for users who can read their project', async () => {
    const group = await server.must('POST /groups', { json: { name: 'house', path: 'house', visibility: 'public' } });
    const below = await server.must('POST /groups', {
      json: { name: 'room', path: 'room', parent_id: group.id, visibility: 'public' },
    });
    const holder = async (namespace_id: number, name: string, files: Record<string, string>) => {
      const made = await server.must('POST /projects', { json: { name, namespace_id } });
      const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
      await server.must(`POST /projects/${made.id}/repository/commits`, {
        json: { branch: 'main', commit_message: 'Templates', actions },
      });
      return made.id as number;
    };
    const ofGroup = await holder(group.id, 'group-files', {
      'gitignore/House.gitignore': 'dust/',
      'gitignore/Node.gitignore': 'of the house',
      'gitignore/README.md': 'not one',
      'LICENSE/house.txt': 'Ours.',
      'Dockerfile/Base.dockerfile': 'FROM house',
      'gitlab-ci/Room.yml': 'room: { script: sweep }',
    });
    const ofInstance = await holder(below.id, 'instance-files', {
      'gitignore/All.gitignore': 'all',
      'gitignore/House.gitignore': 'x',
    });
    const { id } = await server.must('POST /projects', {
      json: { name: 'app', namespace_id: below.id, visibility: 'public' },
    });
    await server.must(`PUT /groups/${group.id}`, { json: { file_template_project_id: ofGroup } });
    await server.must('PUT /application/settings', { json: { file_template_project_id: ofInstance } });
    const at = `GET /projects/${id}/templates`;
    const names = async (token?: string) =>
      ((await server.api(`${at}/gitignores?per_page=100`, { token })).body as { key: string }[]).map(({ key }) => key);
    assert.deepEqual((await names()).slice(0, 3), ['House', 'Node', 'All']);
    assert.equal((await names()).filter((name) => name === 'Node').length, 1);
    const content = async (what: string) => (await server.must(`${at}/${what}`)).content;
    assert.equal(await content('gitignores/House'), 'dust/');
    assert.equal(await content(`gitignores/House?source_template_project_id=${ofInstance}`), 'x');
    assert.equal(await content('gitignores/All'), 'all');
    assert.equal(await content('licenses/house'), 'Ours.');
    assert.equal(await content('dockerfiles/Base'), 'FROM house');
    assert.equal(await content('gitlab_ci_ymls/Room'), 'room: { script: sweep }');
    assert.match(await content('licenses/mit'), /MIT/);
    // Users who cannot read the template project only get the built-in templates.
    assert.ok(!(await names(owner.token)).includes('House'));
    assert.equal((await server.api(`${at}/gitignores/House`, { token: owner.token })).status, 404);
  });
});
