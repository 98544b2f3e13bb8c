import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { settingsIn } from '../../../src/imports/project-archives/settings.ts';
import { writeTar } from '../../../src/platform/git/archive/tar.ts';
import { newTarEntry } from '../../../src/platform/git/archive/tar-entry.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

describe('project settings in archives', () => {
  const table: [string, object, object, object][] = [
    [
      'strings and numbers',
      { squash_option: 'always', build_timeout: 1200 },
      {},
      { squash_option: 'always', build_timeout: 1200 },
    ],
    ['invalid values', { squash_option: 'zork', build_timeout: 'soon', lfs_enabled: {} }, {}, {}],
    ['unknown settings', { name: 'x', path: 'y', visibility_level: 20, constructor: 1 }, {}, {}],
    [
      'settings that must be enabled explicitly',
      { mirror: true, shared_runners_enabled: false, repository_size_limit: 1 },
      {},
      {},
    ],
    ['the repository access level', { repository_access_level: 'private' }, {}, { repository_access_level: 'private' }],
    ['GitLab fast-forward merges', { merge_requests_ff_only_enabled: true }, {}, { merge_method: 'ff' }],
    [
      'GitLab rebase merges',
      { merge_requests_ff_only_enabled: false, merge_requests_rebase_enabled: true },
      {},
      { merge_method: 'rebase_merge' },
    ],
    ['GitLab merge commits', { merge_requests_rebase_enabled: false }, {}, { merge_method: 'merge' }],
    ['GitLab clone strategy', { build_allow_git_fetch: false }, {}, { build_git_strategy: 'clone' }],
    [
      'numeric access levels',
      {},
      { id: 5, issues_access_level: 0, repository_access_level: 10, wiki_access_level: 20, pages_access_level: 30 },
      {
        issues_access_level: 'disabled',
        repository_access_level: 'private',
        wiki_access_level: 'enabled',
        pages_access_level: 'public',
      },
    ],
    ['unknown access levels', {}, { issues_access_level: 30, wiki_access_level: 7, forking_access_level: '10' }, {}],
  ];
  for (const [name, attributes, features, expected] of table) {
    it(name, () => {
      assert.deepEqual(
        settingsIn(attributes as Record<string, unknown>, features as Record<string, unknown>),
        expected,
      );
    });
  }
});

async function fileOf(entries: Record<string, unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const list = Object.entries(entries).map(([path, value]) => {
    const bytes = Buffer.from(JSON.stringify(value));
    return newTarEntry({ kind: 'file', path, size: bytes.length, mtime: 0, content: [bytes] });
  });
  for await (const chunk of writeTar(list)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

const chosen = {
  issues_access_level: 'private',
  repository_access_level: 'private',
  merge_requests_access_level: 'private',
  wiki_access_level: 'disabled',
  merge_method: 'ff',
  squash_option: 'always',
  build_timeout: 1200,
  ci_config_path: 'ci/main.yml',
  ci_default_git_depth: 7,
  build_git_strategy: 'clone',
  merge_commit_template: 'M %{title}',
  suggestion_commit_message: 'taken',
  issues_template: 'What happens?',
  only_allow_merge_if_pipeline_succeeds: true,
  topics: ['one', 'two'],
};

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let count = 0;

  before(async () => {
    server = await startTestServer(engine);
    owner = await addPerson(server, 'owner');
  });

  const send = (bytes: Buffer, fields: Record<string, string> = {}): Promise<Answer> => {
    const form = new FormData();
    count += 1;
    for (const [name, value] of Object.entries({ path: `copy-${count}`, ...fields })) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(bytes)]), 'export.tar.gz');
    return server.api('POST /projects/import', { token: owner.token, body: form });
  };
  const imported = async (bytes: Buffer, fields?: Record<string, string>) => {
    const { status, body, text } = await send(bytes, fields);
    assert.equal(status, 201, text);
    const state = () => server.must(`GET /projects/${body.id}/import`, { token: owner.token });
    await until(async () => !['scheduled', 'started'].includes((await state()).import_status));
    const { import_status, failed_relations } = await state();
    assert.equal(import_status, 'finished');
    const project = await server.must(`GET /projects/${body.id}`, { token: owner.token });
    return { project, failed: failed_relations.map(({ source }: { source: string }) => source) };
  };
  const shown = (project: Record<string, unknown>) =>
    Object.fromEntries(Object.keys(chosen).map((name) => [name, project[name]]));

  it('are imported with a project', async () => {
    const project = await addProject(server, owner, 'chosen');
    const place = `/projects/${project.id}`;
    await server.must(`PUT ${place}`, { token: owner.token, json: chosen });
    assert.equal((await server.api(`POST ${place}/export`, { token: owner.token })).status, 202);
    await until(async () => (await server.must(`GET ${place}/export`)).export_status === 'finished');
    const response = await fetch(`${server.url}/api/v4${place}/export/download`, {
      headers: { 'private-token': owner.token },
    });
    const copy = await imported(Buffer.from(await response.arrayBuffer()));
    assert.deepEqual(shown(copy.project), chosen);
    assert.deepEqual(copy.failed, []);
  });

  it('are overridden by request parameters', async () => {
    const bytes = await fileOf({ 'tree/project.json': { merge_method: 'merge', topics: ['old'], description: 'old' } });
    const { topics, ...rest } = chosen;
    const fields = Object.entries(rest).map(([name, value]) => [`override_params[${name}]`, String(value)]);
    const sent = { ...Object.fromEntries(fields), 'override_params[tag_list]': topics.join() };
    const runners = { 'override_params[shared_runners_enabled]': 'false', 'override_params[description]': 'new' };
    const { project } = await imported(bytes, { ...sent, ...runners });
    assert.deepEqual(shown(project), chosen);
    assert.deepEqual([project.shared_runners_enabled, project.description], [false, 'new']);
  });

  it('are validated before the import starts', async () => {
    const bytes = await fileOf({ 'tree/project.json': {} });
    const table: [string, string, object][] = [
      ['merge_method', 'zork', { error: 'override_params[merge_method] does not have a valid value' }],
      ['build_timeout', 'soon', { error: 'override_params[build_timeout] is invalid' }],
      ['visibility', 'zork', { error: 'override_params[visibility] does not have a valid value' }],
      ['build_timeout', '5', { message: { build_timeout: ['needs to be between 10 minutes and 1 month'] } }],
    ];
    for (const [name, value, expected] of table) {
      const refused = await send(bytes, { path: 'refused', [`override_params[${name}]`]: value });
      assert.deepEqual([refused.status, refused.body], [400, expected]);
    }
    const place = encodeURIComponent(`${owner.user.username}/refused`);
    assert.equal((await server.api(`GET /projects/${place}`, { token: owner.token })).status, 404);
  });

  it('of GitLab keep features members-only, and a rejected setting does not affect the others', async () => {
    const bytes = await fileOf({
      'tree/project.json': { visibility_level: 20, merge_requests_ff_only_enabled: true, build_timeout: 5 },
      'tree/project/project_feature.ndjson': { id: 3, repository_access_level: 10, issues_access_level: 0 },
    });
    const { project, failed } = await imported(bytes);
    const { visibility, repository_access_level, issues_access_level, merge_method } = project;
    assert.deepEqual(
      [visibility, repository_access_level, issues_access_level, merge_method],
      ['public', 'private', 'disabled', 'ff'],
    );
    assert.deepEqual(failed, ['build_timeout']);
  });
});
