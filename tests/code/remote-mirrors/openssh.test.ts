import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { type Sending, startTestServer, type TestServer } from '../../support/server.ts';
import { noSshd, Sshd } from '../../support/sshd.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  describe('mirrors over OpenSSH', { skip: noSshd }, () => {
    let server: TestServer;
    let owner: Person;
    let sshd: Sshd;
    let client: GitClient;

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      owner = await addPerson(server, 'owner');
      sshd = await Sshd.start();
      client = new GitClient();
      await client.init();
      await client.commit({ 'a.txt': 'one' }, 'first');
      await client.git('branch', 'feature/x');
      await client.git('tag', '-a', 'v1', '-m', 'annotated');
    });

    const as = (call: string, sending: Sending = {}) => server.api(call, { token: owner.token, ...sending });
    const refsHere = async (project: Project) => {
      const { git } = server.running.services;
      const repo = git.repository(project.id);
      const refs = [...(await git.listRefs(repo, 'refs/heads/')), ...(await git.listRefs(repo, 'refs/tags/'))];
      return Object.fromEntries(refs.map(({ name, oid }) => [name, oid]));
    };

    it('push with the key of the mirror and reject a changed host key', async () => {
      const project = await addFilledProject(server, owner, 'source', client);
      const json = { url: sshd.url, auth_method: 'ssh_public_key', enabled: true };
      const { id } = await server.must(`POST /projects/${project.id}/remote_mirrors`, { token: owner.token, json });
      const base = `/projects/${project.id}/remote_mirrors/${id}`;
      const synced = async () => {
        const { last_update_started_at: before } = (await as(`GET ${base}`)).body;
        assert.equal((await as(`POST ${base}/sync`)).status, 204);
        await until(async () => {
          const { last_update_started_at, update_status } = (await as(`GET ${base}`)).body;
          return last_update_started_at !== before && update_status !== 'started';
        });
        return (await as(`GET ${base}`)).body;
      };
      const stranger = await synced();
      assert.equal(stranger.update_status, 'scheduled');
      assert.match(stranger.last_error, /Permission denied \(publickey\)/);

      await sshd.allow((await as(`GET ${base}/public_key`)).body.public_key);
      const done = await synced();
      assert.equal(done.update_status, 'finished', done.last_error);
      assert.deepEqual(sshd.refs(), await refsHere(project));
      assert.deepEqual(done.host_keys, [{ fingerprint_sha256: sshd.fingerprint() }]);

      const pinned = done.host_keys;
      await sshd.changeHostKey();
      const refused = await synced();
      assert.equal(refused.update_status, 'scheduled');
      assert.match(refused.last_error, /host key/i);
      assert.deepEqual(refused.host_keys, pinned, "the impostor's key is not stored");

      const told = await as(`PUT ${base}`, { json: { host_keys: [await sshd.hostKey()] } });
      assert.deepEqual(told.body.host_keys, [{ fingerprint_sha256: sshd.fingerprint() }]);
      assert.equal(told.body.last_error, null, 'what the former key led to does not matter any more');
      const again = await synced();
      assert.equal(again.update_status, 'finished', again.last_error);
    });

    it('push only to a server with a given host key', async () => {
      const project = await addFilledProject(server, owner, 'pinned', client);
      const add = async (host_keys: string[]) => {
        const json = { url: sshd.url, auth_method: 'ssh_public_key', enabled: true, host_keys };
        const { id } = await server.must(`POST /projects/${project.id}/remote_mirrors`, { token: owner.token, json });
        const base = `/projects/${project.id}/remote_mirrors/${id}`;
        await sshd.allow((await as(`GET ${base}/public_key`)).body.public_key);
        assert.equal((await as(`POST ${base}/sync`)).status, 204);
        const run = async () => (await as(`GET ${base}`)).body;
        await until(async () => (await run()).last_error !== null || (await run()).update_status === 'finished');
        return run();
      };
      const key = await sshd.hostKey();
      const scanned = await add([`[127.0.0.1]:${sshd.port} ${key}`]);
      assert.equal(scanned.update_status, 'finished', scanned.last_error);
      assert.deepEqual(scanned.host_keys, [{ fingerprint_sha256: sshd.fingerprint() }]);

      const elsewhere = await add([`other.example ${key}`]);
      assert.match(elsewhere.last_error, /host key/i);
      await sshd.changeHostKey();
      const changed = await add([key]);
      assert.match(changed.last_error, /host key/i);
    });

    it('pull with the key of the project and reject a changed host key', async () => {
      const project = await addProject(server, owner, 'follower');
      const base = `/projects/${project.id}/mirror/pull`;
      assert.equal((await as(`GET ${base}/public_key`)).status, 404);
      const json = { url: sshd.url, auth_method: 'ssh_public_key', enabled: true };
      const made = await as(`PUT ${base}`, { json });
      assert.equal(made.status, 200, made.text);
      assert.equal(made.body.auth_method, 'ssh_public_key');
      const settled = async () => {
        await until(async () => !['scheduled', 'started'].includes((await as(`GET ${base}`)).body.update_status));
        return (await as(`GET ${base}`)).body;
      };
      const pulled = async () => {
        assert.equal((await as(`POST ${base}`)).status, 200);
        return settled();
      };
      const stranger = await settled();
      assert.equal(stranger.update_status, 'failed');
      assert.match(stranger.last_error, /Permission denied/);

      const { public_key } = (await as(`GET ${base}/public_key`)).body;
      assert.match(public_key, /^ssh-rsa AAAA\S+ git@127\.0\.0\.1$/);
      const [row] = await server.db.read.selectFrom('pull_mirrors').selectAll().execute();
      assert.doesNotMatch(JSON.stringify(row), /PRIVATE KEY/);
      const work = new GitClient();
      await work.init();
      await work.commit({ 'b.txt': 'there' }, 'there');
      sshd.git('-C', `${sshd.folder}/copy.git`, 'fetch', '-q', work.folder, '+main:refs/heads/main');
      await sshd.allow(public_key);
      const done = await pulled();
      assert.equal(done.update_status, 'finished', done.last_error);
      assert.deepEqual(await refsHere(project), sshd.refs());
      assert.deepEqual(done.host_keys, [{ fingerprint_sha256: sshd.fingerprint() }]);

      await sshd.changeHostKey();
      const refused = await pulled();
      assert.equal(refused.update_status, 'failed');
      assert.match(refused.last_error, /host key/i);
      assert.deepEqual(refused.host_keys, done.host_keys);
    });
  });
});
