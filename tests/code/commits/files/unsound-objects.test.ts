import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../../src/access/tables.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { GitClient, withCredentials } from '../../../support/git-client.ts';
import { addFilledProject } from '../../../support/git-project.ts';
import { addPerson, type Person } from '../../../support/scene.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

const submodule = (lines: string) => `[submodule "a"]\n\tpath = a\n\turl = https://example.com/a.git\n${lines}`;
/** Hostile `.gitmodules` contents with the fsck message that rejects them. */
const hostile: readonly (readonly [content: string, problem: string])[] = [
  [submodule('\turl = -u./payload\n'), 'gitmodulesUrl'],
  [submodule('\turl = ./%0ahost=evil\n'), 'gitmodulesUrl'],
  [submodule('\tpath = -q\n'), 'gitmodulesPath'],
  [submodule('\tupdate = !touch /tmp/owned\n'), 'gitmodulesUpdate'],
  ['[submodule "../../hooks"]\n\tpath = a\n\turl = https://example.com/a.git\n', 'gitmodulesName'],
];

forEachEngine((engine) => {
  describe('malicious .gitmodules in API commits (CVE-2018-11235, CVE-2018-17456)', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;
    let source: GitClient;

    const commit = (actions: readonly object[]) =>
      server.api(`POST /projects/${project.id}/repository/commits`, {
        json: { branch: 'main', commit_message: 'x', actions },
        token: owner.token,
      });
    const tip = async () => (await server.must(`GET /projects/${project.id}/repository/branches/main`)).commit.id;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      source = new GitClient();
      await source.init();
      await source.commit({ a: 'a', plain: hostile[0]?.[0] ?? '' });
      project = await addFilledProject(server, owner, 'guarded', source);
    });

    it('are rejected for every action that creates the file', async () => {
      const before = await tip();
      for (const [content, problem] of hostile) {
        const refused = await commit([{ action: 'create', file_path: '.gitmodules', content }]);
        assert.equal(refused.status, 400);
        assert.match(refused.body.message, new RegExp(`^The commit is rejected: ${problem}: `));
      }
      const [first = ''] = hostile[0] ?? [];
      for (const path of ['.GitModules', 'sub/.gitmodules', 'gitmod~1', 'sub/.git\u200cmodules', '.gitmodules ']) {
        const refused = await commit([{ action: 'create', file_path: path, content: first }]);
        assert.equal(refused.status, 400, path);
      }
      const moved = await commit([{ action: 'move', previous_path: 'plain', file_path: '.gitmodules' }]);
      assert.match(moved.body.message, /gitmodulesUrl/);
      const folder = await commit([{ action: 'create', file_path: '.gitmodules/a', content: 'x' }]);
      assert.match(folder.body.message, /gitmodulesBlob/);
      const file = await server.api(`POST /projects/${project.id}/repository/files/.gitmodules`, {
        json: { branch: 'main', commit_message: 'x', content: first },
        token: owner.token,
      });
      assert.equal(file.status, 400);
      assert.equal(await tip(), before);
    });

    it('are rejected when large or among many files', async () => {
      const [first = ''] = hostile[0] ?? [];
      const large = await commit([
        { action: 'create', file_path: '.gitmodules', content: `${first}${'#\n'.repeat(200_000)}` },
      ]);
      assert.match(large.body.message, /gitmodulesUrl/);
      const many = Array.from({ length: 150 }, (_, n) => ({ action: 'create', file_path: `n/${n}`, content: `${n}` }));
      const refused = await commit([...many, { action: 'create', file_path: '.gitmodules', content: first }]);
      assert.match(refused.body.message, /gitmodulesUrl/);
      const attributes = await commit([
        { action: 'create', file_path: '.gitattributes', content: `*.a ${'x'.repeat(3000)}\n` },
      ]);
      assert.match(attributes.body.message, /gitattributesLineLength/);
    });

    it('are rejected in a push, too', async () => {
      const { username } = owner.user;
      const url = withCredentials(server.url, `${username}/${project.path}`, username, owner.token);
      for (const [content, problem] of hostile) {
        await source.commit({ '.gitmodules': content });
        const { code, stderr } = await source.run('push', url, 'HEAD:refs/heads/pushed');
        await source.git('reset', '-q', '--hard', 'HEAD^');
        assert.notEqual(code, 0);
        assert.match(stderr, new RegExp(problem));
      }
    });

    it('do not affect valid files', async () => {
      const made = await commit([
        { action: 'create', file_path: '.gitmodules', content: submodule('') },
        { action: 'create', file_path: '.gitattributes', content: '*.bin filter=lfs\n' },
        { action: 'create', file_path: 'n/b', content: 'b' },
      ]);
      assert.equal(made.status, 201);
      const updated = await commit([{ action: 'update', file_path: '.gitmodules', content: submodule('# more\n') }]);
      assert.equal(updated.status, 201);
      const again = await commit([{ action: 'update', file_path: 'n/b', content: 'c' }]);
      assert.equal(again.status, 201);
    });
  });
});
