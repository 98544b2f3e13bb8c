import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const source = new GitClient();
const ids: Record<string, string> = {};

before(async () => {
  await source.init();
  await source.commit({ 'a.txt': '1' }, 'first');
  await source.git('tag', '-a', '-m', 'x', 'v1.0.0');
  ids.added = await source.commit({ 'a.txt': '2' }, 'Add a thing\n\nChangelog: added');
  await source.git('tag', 'v1.1.0-rc1');
  ids.fixed = await source.commit({ 'a.txt': '3' }, 'Fix a thing\n\nChangelog: fixed\nIssue: 7');
  ids.second = await source.commit({ 'a.txt': '4' }, 'Add another\n\nChangelog: added');
  ids.bad = await source.commit({ 'a.txt': '5' }, 'Bad idea\n\nChangelog: added');
  await source.commit({ 'a.txt': '4' }, `Revert "Bad idea"\n\nThis reverts commit ${ids.bad}.`);
  await source.commit({ 'a.txt': '6' }, 'Nothing to tell');
});

forEachEngine((engine) => {
  describe('changelog API', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let project: Project;
    let path: string;
    let web: string;

    before(async () => {
      server = await startTestServer(engine, ['--changelog-rate', '0']);
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      project = await addFilledProject(server, owner, 'logged', source);
      await addMember(server, project, developer, Role.developer);
      path = `/projects/${project.id}/repository/changelog`;
      web = `${server.url}/${owner.user.username}/logged/-/commit`;
    });

    const asOwner = (call: string, sending: object = {}) => server.api(call, { token: owner.token, ...sending });
    const putFile = async (file: string, content: string, method = 'POST') => {
      const call = `${method} /projects/${project.id}/repository/files/${encodeURIComponent(file)}`;
      await server.must(call, {
        token: owner.token,
        json: { branch: 'main', content, commit_message: `${method} ${file}` },
      });
    };
    const refused = async (query: string) => {
      const answer = await asOwner(`GET ${path}?${query}`);
      assert.equal(answer.status, 422, answer.text);
      return answer.body.message;
    };

    it('lists the changes since the previous version', async () => {
      const answer = await asOwner(`GET ${path}?version=v1.1.0&date=2021-02-03T23:30:00-02:00`);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(
        answer.body.notes,
        [
          '## 1.1.0 (2021-02-03)',
          '',
          '### added (2 changes)',
          '',
          `- [Add another](${web}/${ids.second})`,
          `- [Add a thing](${web}/${ids.added})`,
          '',
          '### fixed (1 change)',
          '',
          `- [Fix a thing](${web}/${ids.fixed})`,
          '',
        ].join('\n'),
      );
    });

    it('supports a commit range and a custom trailer', async () => {
      const notes = async (query: string) => (await asOwner(`GET ${path}?${query}`)).body.notes;
      assert.match(await notes(`version=9.0.0&from=${ids.added}&to=${ids.fixed}`), /\n\n- \[Fix a thing\][^\n]*\n$/);
      assert.match(await notes(`version=1.1.0&trailer=Issue`), /### 7 \(1 change\)/);
      assert.match(await notes(`version=1.1.0&from=main~1`), /\n\nNo changes\.\n$/);
    });

    it('rejects invalid requests with the documented messages', async () => {
      const lead = 'Failed to generate the changelog: ';
      assert.equal(
        await refused('version=1.0.0'),
        `${lead}The commit start range is unspecified, and no previous tag could be found to use instead`,
      );
      assert.equal(
        await refused('version=1.1.0&from=none'),
        `${lead}Invalid or not found commit value in the given range`,
      );
      assert.equal(
        await refused('version=1.1.0&to=none'),
        `${lead}Invalid or not found commit value in the given range`,
      );
      assert.match(await refused('version=release-1.1.0'), new RegExp(`^${lead}The version`));
      assert.deepEqual((await asOwner(`GET ${path}`)).body, { error: 'version is missing, version is empty' });
      assert.deepEqual((await asOwner(`GET ${path}?version=`)).body, { error: 'version is empty' });
      assert.deepEqual((await asOwner(`GET ${path}?version=1.0`)).body, { error: 'version is invalid' });
      assert.equal((await server.api(`GET ${path}?version=1.1.0`, { token: null })).status, 404);
    });

    it('applies the configuration file', async () => {
      await server.db.write((trx) =>
        trx
          .insertInto('emails')
          .values({
            user_id: developer.user.id,
            email: 'Ann@Example.com',
            confirmed_at: Date.now(),
            created_at: Date.now(),
          })
          .execute(),
      );
      const group = await server.must('POST /groups', {
        json: { name: 'crew', path: `crew-${engine}`, visibility: 'public' },
      });
      await server.must(`POST /groups/${group.id}/members`, {
        json: { user_id: developer.user.id, access_level: 10 },
      });
      const config = [
        'date_format: "%d.%m.%Y"',
        'categories:',
        '  fixed: Repairs',
        '  added: News',
        '  removed: Gone',
        `include_groups: [crew-${engine}]`,
      ].join('\n');
      await putFile('.gitlab/changelog_config.yml', config);
      const query = `version=1.1.0&date=2021-02-03T10:00:00Z&to=${ids.bad}`;
      const first = (await asOwner(`GET ${path}?${query}`)).body.notes as string;
      assert.match(first, /^## 1\.1\.0 \(03\.02\.2021\)\n\n### Repairs \(1 change\)\n\n- \[Fix/);
      assert.match(first, /### News \(3 changes\)/);
      assert.ok(first.includes(`(${web}/${ids.fixed}) by @${developer.user.username}\n`), first);

      const template =
        '{% each categories %}{{ title }}:{% each entries %} {{ commit.trailers.Changelog }}{% end %};{% end %}';
      await putFile('.service/changelog_config.yml', `template: ${JSON.stringify(template)}\n`);
      const own = (await asOwner(`GET ${path}?${query}`)).body.notes;
      assert.equal(own, '## 1.1.0 (2021-02-03)\n\nadded: added added added;fixed: fixed;\n');
      const explicit = await asOwner(`GET ${path}?${query}&config_file=.gitlab/changelog_config.yml`);
      assert.equal(explicit.body.notes, first);
      const none = await asOwner(`GET ${path}?${query}&config_file=nowhere.yml&config_file_ref=main`);
      assert.match(none.body.notes, /^## 1\.1\.0 \(2021-02-03\)\n\n### added/);
      const before = await asOwner(`GET ${path}?${query}&config_file_ref=${ids.bad}`);
      assert.equal(before.body.notes, none.body.notes);
    });

    it('reports errors in the configuration file', async () => {
      const lead = 'Failed to generate the changelog: ';
      const file = '.service/changelog_config.yml';
      const texts: [content: string, text: string | RegExp][] = [
        ['a: [', `${lead}${file} does not contain valid YAML`],
        ['categories: x', `${lead}The "categories" configuration key must be a Hash`],
        ['template: "{{ x"', `${lead}Failed to parse the template: malformed tag at line 1`],
        ['tag_regex: "("', /: The regular expression to use for finding the previous tag for a version is invalid: /],
        [`tag_regex: "${'a{1000}'.repeat(100)}"`, /: expression too large/],
        [`template: "${'{% each a %}'.repeat(5)}${'{% end %}'.repeat(5)}"`, `${lead}You can only nest up to 4 loops`],
      ];
      for (const [content, text] of texts) {
        await putFile(file, content, 'PUT');
        const message = await refused('version=1.1.0');
        if (typeof text === 'string') assert.equal(message, text);
        else assert.match(message, text);
      }
      await putFile(file, '{}', 'PUT');
    });

    it('commits a version section once', async () => {
      const post = (json: object, token = owner.token) => server.api(`POST ${path}`, { token, json });
      const refusal = await post({ version: '1.1.0' }, developer.token);
      assert.deepEqual(
        [refusal.status, refusal.body],
        [403, { message: '403 Forbidden - You are not allowed to commit a changelog on this branch' }],
      );
      const done = await post({ version: '1.1.0', date: '2021-02-03T10:00:00Z' });
      assert.deepEqual([done.status, done.body], [200, 200]);
      const again = await post({ version: '1.1.0' });
      assert.equal(again.status, 200);
      const commits = await asOwner(`GET /projects/${project.id}/repository/branches/main`);
      assert.equal(commits.body.commit.message, 'Add changelog for version 1.1.0');
      const file = async (name: string, ref = 'main') =>
        (await asOwner(`GET /projects/${project.id}/repository/files/${name}/raw?ref=${ref}`)).text;
      const first = await file('CHANGELOG.md');
      assert.match(first, /^## 1\.1\.0 \(2021-02-03\)\n\n### added \(2 changes\)\n/);
      assert.equal((await post({ version: '1.0.5', from: ids.added, to: ids.fixed })).status, 200);
      assert.match(await file('CHANGELOG.md'), /^## 1\.1\.0 [\s\S]*\n\n## 1\.0\.5 [\s\S]*[^\n]\n$/);
      assert.equal((await post({ version: '1.2.0', from: ids.bad, message: 'Own words' })).status, 200);
      assert.match(await file('CHANGELOG.md'), /^## 1\.2\.0 [\s\S]*## 1\.1\.0 [\s\S]*## 1\.0\.5 /);
      const odd = await post({ version: '1.3.0', file: '../x', from: ids.bad });
      assert.equal(odd.status, 422, odd.text);
      assert.match(odd.body.message, /^Failed to generate the changelog: /);
      await server.must(`POST /projects/${project.id}/repository/branches?branch=docs&ref=main`, {
        token: owner.token,
      });
      const elsewhere = { version: '1.3.0', from: ids.bad, branch: 'docs', file: 'docs/NEWS.md' };
      assert.equal((await post(elsewhere, developer.token)).status, 200);
      assert.match(await file('docs%2FNEWS.md', 'docs'), /^## 1\.3\.0 /);
    });

    it('keeps all sections of concurrent requests', async () => {
      const versions = ['2.0.0', '2.1.0', '2.2.0'];
      const answers = await Promise.all(
        versions.map((version) => asOwner(`POST ${path}`, { json: { version, from: ids.bad, file: 'RACE.md' } })),
      );
      assert.deepEqual(
        answers.map((one) => one.status),
        [200, 200, 200],
      );
      const { text } = await asOwner(`GET /projects/${project.id}/repository/files/RACE.md/raw?ref=main`);
      assert.deepEqual(text.match(/^## [0-9.]+/gm), ['## 2.2.0', '## 2.1.0', '## 2.0.0']);
    });

    it('finds version tags by a custom expression', async () => {
      const url = `/projects/${project.id}/repository/tags?tag_name=release-1.0.9&ref=${ids.fixed}`;
      await server.must(`POST ${url}`, { token: owner.token });
      const regex = '^release-(?P<major>\\d+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)$';
      await putFile('.service/changelog_config.yml', `tag_regex: '${regex}'\n`, 'PUT');
      const { body } = await asOwner(`GET ${path}?version=1.1.0&to=${ids.bad}`);
      assert.match(body.notes, /### added \(2 changes\)/);
      assert.ok(!body.notes.includes('fixed'));
    });
  });

  describe('changelog rate limit', () => {
    it('rejects requests above the limit', async () => {
      const server = await startTestServer(engine, ['--changelog-rate', '5/1m']);
      const owner = await addPerson(server, 'owner');
      const project = await addFilledProject(server, owner, 'limited', source);
      const ask = () =>
        server.api(`GET /projects/${project.id}/repository/changelog?version=1.1.0`, { token: owner.token });
      for (let i = 0; i < 5; i++) assert.equal((await ask()).status, 200);
      const refused = await ask();
      assert.equal(refused.status, 429);
      assert.deepEqual(refused.body, {
        message: { error: 'This changelog has been requested too many times. Try again later.' },
      });
      assert.equal(refused.headers.get('retry-after'), null);
    });
  });
});
