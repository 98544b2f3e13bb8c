import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { sshKeyPair } from '../../support/ssh-keys.ts';

forEachEngine((engine) => {
  describe('group and project wikis over SSH', () => {
    let server: TestServer;
    const paths: Record<string, { api: string; url: string }> = {};

    before(async () => {
      server = await startTestServer(engine, ['--ssh-port', '0']);
      const group = await server.must('POST /groups', { json: { name: 'Tea', path: 'tea', visibility: 'private' } });
      const project = await server.must('POST /projects', { json: { name: 'pot', namespace_id: group.id } });
      const host = `ssh://git@127.0.0.1:${server.running.services.config.sshPort}`;
      paths.group = { api: `/groups/${group.id}`, url: `${host}/tea.wiki.git` };
      paths.project = { api: `/projects/${project.id}`, url: `${host}/tea/pot.wiki.git` };
    });

    /** Adds a user with an SSH key and an optional role in the group. */
    async function addClient(access_level: number): Promise<GitClient> {
      const { id } = await addUser(server);
      const key = sshKeyPair();
      await server.must(`POST /users/${id}/keys`, { json: { title: 'laptop', key: key.public } });
      if (access_level > 0) {
        await server.must(`POST ${paths.group?.api}/members`, { json: { user_id: id, access_level } });
      }
      const client = new GitClient();
      const file = join(client.folder, '.key');
      writeFileSync(file, key.private, { mode: 0o600 });
      const script = join(import.meta.dirname, '../../support/ssh-client.ts');
      Object.assign(client.env, {
        HEARTH_TEST_KEY: file,
        GIT_SSH_COMMAND: `'${process.execPath}' '${script}'`,
        GIT_SSH_VARIANT: 'ssh',
      });
      return client;
    }

    for (const whose of ['group', 'project'] as const) {
      it(`can be cloned and pushed to with permission, for a ${whose}`, async () => {
        const { api, url } = paths[whose] as { api: string; url: string };
        await server.must(`POST ${api}/wikis`, { json: { title: 'home', content: 'Water' } });
        const developer = await addClient(30);
        await developer.git('clone', '-q', url, 'wiki');
        assert.equal(await developer.git('-C', 'wiki', 'show', 'HEAD:home.md'), 'Water');
        writeFileSync(join(developer.folder, 'wiki', 'leaves.md'), 'Green');
        await developer.git('-C', 'wiki', 'add', '.');
        await developer.git('-C', 'wiki', 'commit', '-qm', 'Leaves');
        await developer.git('-C', 'wiki', 'push', '-q', 'origin', 'HEAD');
        assert.equal((await server.must(`GET ${api}/wikis/leaves`)).content, 'Green');

        const reporter = await addClient(20);
        await reporter.git('clone', '-q', url, 'wiki');
        writeFileSync(join(reporter.folder, 'wiki', 'salt.md'), 'Salt');
        await reporter.git('-C', 'wiki', 'add', '.');
        await reporter.git('-C', 'wiki', 'commit', '-qm', 'Salt');
        const pushed = await reporter.run('-C', 'wiki', 'push', 'origin', 'HEAD');
        assert.notEqual(pushed.code, 0);
        assert.match(pushed.stderr, /not allowed/);
        assert.equal((await server.api(`GET ${api}/wikis/salt`)).status, 404);

        const outsider = await addClient(0);
        assert.match((await outsider.run('clone', url, 'wiki')).stderr, /could not be found/);
      });
    }
  });
});
