import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const mebibyte = 1024 * 1024;
/** Incompressible data. */
const noise = (bytes: number) => randomBytes(bytes).toString('latin1').replaceAll('\r', '\n');

forEachEngine((engine) => {
  describe('repository size limit', () => {
    let server: TestServer;
    let owner: Awaited<ReturnType<typeof addUser>>;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addUser(server, 'owner');
      await server.must('PUT /application/settings', { json: { repository_size_limit: 1 } });
    });

    const project = (name: string) => server.must('POST /projects', { token: owner.token, json: { name } });
    const refusal = /limited to 1 MiB/;

    it('rejects a git push without keeping its objects', async () => {
      const { id, http_url_to_repo: url } = await project('pushed');
      const client = new GitClient();
      await client.git('init', '-q', '-b', 'main');
      await client.git('remote', 'add', 'origin', url.replace('://', `://git:${owner.token}@`));
      await client.commit({ 'a.txt': 'small\n' });
      await client.git('push', '-q', 'origin', 'main');
      await client.commit({ 'b.bin': noise(2 * mebibyte) });
      const pushed = await client.run('push', 'origin', 'main:topic');
      assert.notEqual(pushed.code, 0);
      assert.match(pushed.stderr, refusal);
      const names = (await server.must(`GET /projects/${id}/repository/branches`)).map(
        (branch: { name: string }) => branch.name,
      );
      assert.deepEqual(names, ['main']);
      // The rejected push does not count: a small one still succeeds.
      await client.git('reset', '-q', '--hard', 'HEAD~1');
      await client.commit({ 'c.txt': 'small too\n' });
      await client.git('push', '-q', 'origin', 'main');
    });

    it('is taken from the project, the nearest group or the instance', async () => {
      const group = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'Limited', path: 'limited' },
      });
      const below = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'Below', path: 'below', parent_id: group.id },
      });
      const { id, http_url_to_repo: url } = await server.must('POST /projects', {
        token: owner.token,
        json: { name: 'inside', namespace_id: below.id },
      });
      const client = new GitClient();
      await client.git('init', '-q', '-b', 'main');
      await client.git('remote', 'add', 'origin', url.replace('://', `://git:${owner.token}@`));
      await client.commit({ 'b.bin': noise(3 * mebibyte) });
      const push = async () => (await client.run('push', 'origin', 'main')).stderr;
      const limit = (place: string, megabytes: number | null) =>
        server.must(`PUT ${place}`, { json: { repository_size_limit: megabytes } });
      await limit(`/groups/${group.id}`, 0);
      await limit(`/groups/${below.id}`, 2);
      assert.match(await push(), /limited to 2 MiB/);
      await limit(`/projects/${id}`, 1);
      assert.match(await push(), refusal);
      assert.equal((await server.must(`GET /projects/${id}`)).repository_size_limit, 1);

      const own = { token: owner.token, json: { repository_size_limit: 100 } };
      assert.equal((await server.api(`PUT /projects/${id}`, own)).status, 403);
      await server.must(`PUT /groups/${below.id}`, own);
      assert.equal(
        (await server.must(`GET /groups/${below.id}`)).repository_size_limit,
        2,
        'only administrators can set it',
      );
      for (const place of [`/projects/${id}`, `/groups/${below.id}`]) {
        const { status } = await server.api(`PUT ${place}`, { json: { repository_size_limit: -1 } });
        assert.equal(status, 400, place);
      }
      assert.match(await push(), refusal);
      await limit(`/projects/${id}`, null);
      await limit(`/groups/${below.id}`, null);
      assert.doesNotMatch(await push(), /limited to/, 'the parent group has no limit');
    });

    it('rejects API commits once exceeded, but allows deleting branches', async () => {
      const { id } = await project('written');
      const write = (branch: string, content: string, more = {}) =>
        server.api(`POST /projects/${id}/repository/files/${randomBytes(4).toString('hex')}`, {
          token: owner.token,
          json: { branch, content, encoding: 'base64', commit_message: 'More', ...more },
        });
      const bytes = (size: number) => randomBytes(size).toString('base64');
      assert.equal((await write('main', bytes(2 * mebibyte))).status, 201);
      await server.must(`POST /projects/${id}/repository/branches?branch=topic&ref=main`);
      await until(async () => {
        const { statistics } = await server.must(`GET /projects/${id}?statistics=true`);
        return statistics.repository_size > mebibyte;
      });
      const refused = await write('main', bytes(10));
      assert.equal(refused.status, 400);
      assert.match(refused.body.message, refusal);
      await server.must(`DELETE /projects/${id}/repository/branches/topic`);
      await server.must('PUT /application/settings', { json: { repository_size_limit: 10 } });
      assert.equal((await write('main', bytes(10))).status, 201);
      await server.must('PUT /application/settings', { json: { repository_size_limit: 1 } });
    });

    it('includes LFS objects', async () => {
      const { http_url_to_repo: url } = await project('large');
      const bytes = randomBytes(2 * mebibyte);
      const object = { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
      const ask = async (size: number) => {
        const answer = await fetch(`${url}/info/lfs/objects/batch`, {
          method: 'POST',
          headers: {
            'content-type': 'application/vnd.git-lfs+json',
            authorization: `Basic ${Buffer.from(`x:${owner.token}`).toString('base64')}`,
          },
          body: JSON.stringify({ operation: 'upload', objects: [{ ...object, size }] }),
        });
        return { status: answer.status, body: (await answer.json()) as { message?: string } };
      };
      const refused = await ask(object.size);
      assert.equal(refused.status, 406);
      assert.match(refused.body.message ?? '', refusal);
      assert.equal((await ask(1000)).status, 200);
    });

    it('rejects negative numbers', async () => {
      const { status, body } = await server.api('PUT /application/settings', { json: { repository_size_limit: -1 } });
      assert.deepEqual(
        [status, body.message],
        [400, { repository_size_limit: ['must be greater than or equal to 0'] }],
      );
    });
  });
});
