import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { sshKeyPair } from '../../support/ssh-keys.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('credentials inventory of a top-level group', () => {
    let server: TestServer;
    let owner: Person;
    let member: Person;
    let group: number;
    let below: number;

    before(async () => {
      server = await startTestServer(engine);
      [owner, member] = (await Promise.all(['owner', 'member'].map((name) => addUser(server, name)))) as [
        Person,
        Person,
      ];
      const { token } = owner;
      group = (await server.must('POST /groups', { token, json: { name: 'Firm', path: 'firm' } })).id;
      below = (await server.must('POST /groups', { token, json: { name: 'Unit', path: 'unit', parent_id: group } })).id;
      await server.must(`POST /groups/${below}/members`, { token, json: { user_id: member.id, access_level: 30 } });
    });

    const call = (line: string, token?: string | null, json?: object) =>
      server.api(line, { ...(token === undefined ? {} : { token }), ...(json ? { json } : {}) });
    const tokenOf = async (person: Person): Promise<{ id: number; token: string }> =>
      server.must(`POST /users/${person.id}/personal_access_tokens`, { json: { name: 'laptop', scopes: ['api'] } });
    /** Marks an account as provisioned by the group. */
    const provision = (person: Person) =>
      server.db.write((trx) =>
        trx.updateTable('users').set({ provisioned_by_group_id: group }).where('id', '=', person.id).execute(),
      );

    it('lets owners manage personal tokens of provisioned users, and administrators those of members', async () => {
      const account = await addUser(server, 'account');
      await provision(account);
      const path = `/groups/${group}/manage/personal_access_tokens`;
      const own = await tokenOf(account);
      const others = await tokenOf(member);
      assert.equal((await call(`DELETE ${path}/${others.id}`, owner.token)).status, 404);
      assert.equal((await call(`POST ${path}/${others.id}/rotate`, owner.token)).status, 404);
      assert.equal((await call(`DELETE ${path}/${own.id}`, member.token)).status, 403);
      assert.equal((await call('GET /user', others.token)).status, 200);
      const rotated = await call(`POST ${path}/${own.id}/rotate`, owner.token);
      assert.deepEqual([rotated.status, rotated.body.user_id], [201, account.id]);
      assert.equal((await call('GET /user', own.token)).status, 401);
      assert.equal((await call('GET /user', rotated.body.token)).body.id, account.id);
      assert.equal((await call(`POST ${path}/${own.id}/rotate`, owner.token)).status, 400);
      assert.equal((await call(`DELETE ${path}/${rotated.body.id}`, owner.token)).status, 204);
      assert.equal((await call('GET /user', rotated.body.token)).status, 401);
      assert.equal((await call(`DELETE ${path}/${rotated.body.id}`, owner.token)).status, 400);
      assert.equal((await call(`DELETE ${path}/${others.id}`)).status, 204);
      assert.equal((await call('GET /user', others.token)).status, 401);
    });

    it('revokes and rotates tokens of the group and its contents', async () => {
      const path = `/groups/${group}/manage/resource_access_tokens`;
      const expires_at = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
      const json = { name: 'bot', scopes: ['api'], access_level: 30, expires_at };
      const created = await server.must(`POST /groups/${below}/access_tokens`, { token: owner.token, json });
      const bot = await server.must(`POST /groups/${group}/access_tokens`, {
        token: owner.token,
        json: { ...json, access_level: 50 },
      });
      assert.equal((await call(`POST ${path}/${created.id}/rotate`, bot.token)).status, 403);
      assert.equal((await call(`POST ${path}/${created.id}/rotate`, member.token)).status, 403);
      const rotated = await call(`POST ${path}/${created.id}/rotate`, owner.token, { expires_at });
      assert.deepEqual(
        [rotated.status, rotated.body.resource_id, rotated.body.access_level, rotated.body.expires_at],
        [201, below, 30, expires_at],
      );
      assert.equal((await call('GET /user', created.token)).status, 401);
      assert.equal((await call(`DELETE ${path}/${rotated.body.id}`, owner.token)).status, 204);
      assert.equal((await call('GET /user', rotated.body.token)).status, 401);
      const elsewhere = await tokenOf(owner);
      assert.equal((await call(`DELETE ${path}/${elsewhere.id}`, owner.token)).status, 404);
      assert.equal(
        (await call(`DELETE /groups/${below}/manage/resource_access_tokens/${bot.id}`, owner.token)).status,
        404,
      );
    });

    it('lists SSH keys without the key material and deletes them', async () => {
      const account = await addUser(server, 'keyed');
      await provision(account);
      const path = `/groups/${group}/manage/ssh_keys`;
      const add = async (person: Person, title: string, more: object = {}) => {
        return server.must('POST /user/keys', {
          token: person.token,
          json: { title, key: sshKeyPair().public, ...more },
        });
      };
      const key = await add(account, 'desk', { expires_at: '2099-01-01T00:00:00Z' });
      const others = await add(member, 'theirs');
      const listed = await server.must(`GET ${path}`, { token: owner.token });
      assert.deepEqual(listed, [
        {
          id: key.id,
          title: 'desk',
          created_at: key.created_at,
          expires_at: '2099-01-01T00:00:00.000Z',
          last_used_at: null,
          usage_type: 'auth_and_signing',
          user_id: account.id,
        },
      ]);
      const asRoot = (await server.must(`GET ${path}`)) as { id: number }[];
      assert.deepEqual(
        asRoot.map(({ id }) => id),
        [key.id, others.id],
      );
      const found = async (query: string) => (await server.must(`GET ${path}?${query}`, { token: owner.token })).length;
      assert.equal(await found('expires_before=2098-01-01T00:00:00Z'), 0);
      assert.equal(await found('expires_after=2098-01-01T00:00:00Z&created_after=2001-01-01T00:00:00Z'), 1);
      assert.equal(await found('created_before=2001-01-01T00:00:00Z'), 0);
      assert.equal((await call(`GET ${path}?created_before=nonsense`, owner.token)).status, 400);
      assert.equal((await call(`GET ${path}`, member.token)).status, 403);
      assert.equal((await call(`DELETE ${path}/${others.id}`, owner.token)).status, 404);
      assert.equal((await call(`DELETE ${path}/${key.id}`, member.token)).status, 403);
      assert.equal((await call(`DELETE ${path}/${key.id}`, owner.token)).status, 204);
      assert.equal((await call(`DELETE ${path}/${key.id}`, owner.token)).status, 404);
      assert.equal(await found('per_page=1'), 0);
    });

    it('lets administrators identify and revoke a token by its value', async () => {
      const found = await tokenOf(member);
      const ask = (token: string, as?: string | null) => call('POST /admin/token', as, { token });
      const response = await ask(found.token);
      assert.deepEqual(
        [response.status, response.body.id, response.body.user_id, response.body.revoked],
        [200, found.id, member.id, false],
      );
      assert.equal(response.text.includes(found.token), false);
      assert.equal((await ask(found.token, owner.token)).status, 403);
      assert.equal((await ask(found.token, null)).status, 401);
      assert.equal((await call('POST /admin/token', undefined, {})).status, 400);
      assert.equal((await ask('glpat-nobody-has-this')).status, 404);
      assert.equal((await ask('of another kind')).status, 422);
      const end = (token: string, as?: string) => call('DELETE /admin/token', as, { token });
      assert.equal((await end(found.token, owner.token)).status, 403);
      assert.equal((await call('GET /user', found.token)).status, 200);
      assert.equal((await end(found.token)).status, 204);
      assert.equal((await call('GET /user', found.token)).status, 401);
      assert.equal((await ask(found.token)).body.revoked, true);
    });

    it('identifies and revokes deploy tokens and trigger tokens by their value', async () => {
      const project = await server.must('POST /projects', {
        token: owner.token,
        json: { name: 'p', namespace_id: group },
      });
      const deploy = await server.must(`POST /projects/${project.id}/deploy_tokens`, {
        token: owner.token,
        json: { name: 'pulls', scopes: ['read_repository'] },
      });
      const trigger = await server.must(`POST /projects/${project.id}/triggers`, {
        token: owner.token,
        json: { description: 'nightly' },
      });
      for (const [{ id, token }, list] of [
        [deploy, 'deploy_tokens'],
        [trigger, 'triggers'],
      ] as const) {
        const response = await call('POST /admin/token', undefined, { token });
        assert.deepEqual([response.status, response.body.id, response.body.project_id], [200, id, project.id]);
        assert.equal(response.text.includes(token), false);
        assert.equal((await call('DELETE /admin/token', undefined, { token })).status, 204);
        assert.deepEqual(await server.must(`GET /projects/${project.id}/${list}`, { token: owner.token }), []);
        assert.equal((await call('POST /admin/token', undefined, { token })).status, 404);
      }
    });
  });
});
