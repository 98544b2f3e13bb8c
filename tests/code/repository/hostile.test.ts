import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const source = new GitClient();
before(async () => {
  await source.init();
  await source.commit({ 'a.txt': 'a' }, 'a');
  await source.git('tag', 'v1.0.0');
});

const hostile = [
  '..',
  '../../../etc/passwd',
  '-x',
  '--output=/tmp/x',
  '--upload-pack=touch /tmp/x',
  '.git',
  '.GIT/config',
  'a.txt/../../x',
  'refs/heads/../../x',
  'HEAD@{1}',
  'main^{/a}',
  ':/a',
  'main:a.txt',
  '@{-1}',
  '^main',
  'main..main',
  'main\nmain',
  '\u0001',
  '💥',
  'a'.repeat(5000),
  '0'.repeat(40),
  'f'.repeat(64),
  '*'.repeat(200),
  '(a+)+$',
  '[',
  '$(id)',
  "'; drop table projects; --",
];

forEachEngine((engine) => {
  describe('hostile names', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;

    before(async () => {
      server = await startTestServer(engine, ['--archive-rate', '0', '--changelog-rate', '0']);
      owner = await addPerson(server, 'owner');
      project = await addFilledProject(server, owner, 'hostile', source);
    });

    const calls = (value: string): [call: string, json?: object][] => {
      const one = encodeURIComponent(value);
      const repository = `/projects/${project.id}/repository`;
      return [
        [`GET ${repository}/branches?search=${one}`],
        [`GET ${repository}/branches?regex=${one}`],
        [`GET ${repository}/branches?pagination=keyset&sort=updated_desc&page_token=${one}`],
        [`GET ${repository}/branches/${one}`],
        [`PUT ${repository}/branches/${one}/protect`, {}],
        [`DELETE ${repository}/branches/${one}`],
        [`POST ${repository}/branches`, { branch: 'x', ref: value }],
        [`POST ${repository}/branches`, { branch: value, ref: 'nothing' }],
        [`GET ${repository}/tags?search=${one}`],
        [`GET ${repository}/tags?pagination=keyset&page_token=${one}`],
        [`GET ${repository}/tags/${one}`],
        [`GET ${repository}/tags/${one}/signature`],
        [`POST ${repository}/tags`, { tag_name: value, ref: 'nothing' }],
        [`POST ${repository}/tags`, { tag_name: 'x', ref: value }],
        [`GET ${repository}/compare?from=${one}&to=main`],
        [`GET ${repository}/merge_base?refs[]=${one}&refs[]=main`],
        [`GET ${repository}/contributors?ref=${one}`],
        [`GET ${repository}/archive.tar?sha=${one}`],
        [`GET ${repository}/archive.tar?path=${one}`],
        [`GET ${repository}/archive.tar?exclude_paths=${one}`],
        [`GET ${repository}/changelog?version=2.0.0&from=${one}`],
        [`GET ${repository}/changelog?version=2.0.0&trailer=${one}`],
        [`GET ${repository}/changelog?version=2.0.0&config_file=${one}&config_file_ref=${one}`],
        [`POST ${repository}/changelog`, { version: '2.0.0', file: value, branch: 'none' }],
        [`POST ${repository}/changelog`, { version: '2.0.0', branch: value }],
        [`GET /projects/${project.id}/releases/${one}`],
        [`POST /projects/${project.id}/releases`, { tag_name: value, ref: 'nothing' }],
        [`POST /projects/${project.id}/releases`, { tag_name: 'y', ref: value }],
        [`GET /projects/${project.id}/releases/${one}/downloads/${one}`],
        [`GET /projects/${project.id}/releases/permalink/latest/${one}`],
      ];
    };

    it('get an error, change nothing and access nothing outside the repository', async () => {
      const refs = async () =>
        JSON.stringify(
          await server.running.services.git.listRefs(server.running.services.git.repository(project.id), 'refs/'),
        );
      const before = await refs();
      for (const value of hostile) {
        for (const [call, json] of calls(value)) {
          const answer = await server.api(call, { token: owner.token, ...(json ? { json } : {}) });
          assert.ok(answer.status < 500, `${call} ${JSON.stringify(json)}: ${answer.status} ${answer.text}`);
          assert.ok(!answer.text.includes('root:x:0'), call);
        }
      }
      assert.equal(await refs(), before);
    });
  });
});
