import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const wish = { name: 'deploys', scopes: ['api'], expires_at: inDays(10) };

forEachEngine((engine) => {
  describe('service accounts', () => {
    let server: TestServer;
    let owner: Person;
    let maintainer: Person;
    let developer: Person;
    let outsider: Person;
    let group: { id: number };
    let project: { id: number };
    const refusal = async (call: string, token: string | null, json?: object) => {
      const { status, body } = await server.api(call, { token, ...(json ? { json } : {}) });
      return [status, body.message ?? body.error];
    };

    before(async () => {
      server = await startTestServer(engine);
      [owner, maintainer, developer, outsider] = (await Promise.all(
        ['owner', 'maintainer', 'developer', 'outsider'].map((name) => addPerson(server, name)),
      )) as [Person, Person, Person, Person];
      const { token } = owner;
      group = await server.must('POST /groups', { token, json: { name: 'Place', path: 'place' } });
      project = await server.must('POST /projects', { token, json: { name: 'inside', namespace_id: group.id } });
      for (const [{ user }, access_level] of [
        [maintainer, 40],
        [developer, 30],
      ] as const)
        await server.must(`POST /groups/${group.id}/members`, { token, json: { user_id: user.id, access_level } });
    });

    it('act with their tokens where they are members', async () => {
      for (const [place, home] of [
        [`/groups/${group.id}`, `group_${group.id}`],
        [`/projects/${project.id}`, `project_${project.id}`],
      ] as const) {
        const { token } = owner;
        const account = await server.must(`POST ${place}/service_accounts`, { token });
        assert.match(account.username, new RegExp(`^service_account_${home}_[0-9a-f]{32}$`));
        assert.deepEqual(account, {
          id: account.id,
          username: account.username,
          name: 'Service account user',
          email: `${account.username}@noreply.127.0.0.1`,
          public_email: null,
        });
        const tokens = `${place}/service_accounts/${account.id}/personal_access_tokens`;
        const created = await server.must(`POST ${tokens}`, { token, json: wish });
        assert.deepEqual([created.user_id, created.scopes, created.expires_at], [account.id, ['api'], inDays(10)]);
        const self = await server.must('GET /user', { token: created.token });
        assert.deepEqual([self.id, self.bot, self.is_admin], [account.id, true, undefined]);
        const readmes = `POST /projects/${project.id}/issues`;
        assert.equal(
          (await server.api(readmes, { token: created.token, json: { title: 'By a program' } })).status,
          404,
        );
        const role = { user_id: account.id, access_level: 30 };
        await server.must(`POST /projects/${project.id}/members`, { token, json: role });
        const issue = await server.must(readmes, { token: created.token, json: { title: 'By a program' } });
        assert.equal(issue.author.id, account.id);

        const rotated = await server.must(`POST ${tokens}/${created.id}/rotate`, { token, json: {} });
        assert.notEqual(rotated.token, created.token);
        assert.equal((await server.api('GET /user', { token: created.token })).status, 401);
        const states = (await server.must(`GET ${tokens}`, { token })).map((each: { id: number; active: boolean }) => [
          each.id,
          each.active,
        ]);
        assert.deepEqual(states, [
          [created.id, false],
          [rotated.id, true],
        ]);
        assert.deepEqual(
          (await server.must(`GET ${tokens}?state=active`, { token })).map(({ id }: { id: number }) => id),
          [rotated.id],
        );
        assert.equal((await server.api(`DELETE ${tokens}/${rotated.id}`, { token })).status, 204);
        assert.equal((await server.api('GET /user', { token: rotated.token })).status, 401);
      }
    });

    it('are listed, updated and deleted in their group', async () => {
      const { token } = owner;
      const subgroup = await server.must('POST /groups', {
        token,
        json: { name: 'Below', path: 'below', parent_id: group.id },
      });
      const call = `/groups/${subgroup.id}/service_accounts`;
      const b = await server.must(`POST ${call}`, { token, json: { username: 'b-robot', name: '<b>Robot</b>' } });
      const a = await server.must(`POST ${call}`, { token, json: { username: 'a-robot', email: 'a@robots.example' } });
      assert.deepEqual([b.name, a.email], ['Robot', 'a@robots.example']);
      const ids = async (query: string) =>
        (await server.must(`GET ${call}${query}`, { token })).map((each: { id: number }) => each.id);
      assert.deepEqual(await ids(''), [a.id, b.id]);
      assert.deepEqual(await ids('?sort=asc'), [b.id, a.id]);
      assert.deepEqual(await ids('?order_by=username&sort=asc'), [a.id, b.id]);
      assert.deepEqual(await ids('?order_by=username&per_page=1'), [b.id]);
      assert.deepEqual(await server.must(`GET ${call}/${a.id}`, { token }), a);
      const changed = await server.must(`PATCH ${call}/${a.id}`, { token, json: { name: 'Walle', username: 'walle' } });
      assert.deepEqual(changed, { ...a, name: 'Walle', username: 'walle' });
      for (const elsewhere of [`/groups/${group.id}`, `/projects/${project.id}`])
        for (const method of ['GET', 'PATCH', 'DELETE'])
          assert.deepEqual(await refusal(`${method} ${elsewhere}/service_accounts/${a.id}`, token), [
            404,
            '404 User Not Found',
          ]);
      assert.equal((await server.api(`DELETE ${call}/${owner.user.id}`, { token })).status, 404);
      assert.equal((await server.api(`DELETE ${call}/${a.id}`, { token })).status, 204);
      assert.deepEqual(await ids(''), [b.id]);
    });

    it('reject invalid attributes', async () => {
      const call = `POST /groups/${group.id}/service_accounts`;
      for (const [json, message] of [
        [{ username: owner.user.username }, 'Username has already been taken'],
        [{ username: 'place' }, 'Username has already been taken'],
        [{ email: owner.user.email }, 'Email has already been taken'],
        [{ email: 'nobody' }, 'Email is invalid'],
        [{ name: '' }, "Name can't be blank"],
      ] as const)
        assert.deepEqual(await refusal(call, owner.token, json), [400, `400 Bad request - ${message}`]);
      const { id } = await server.must(call, { token: owner.token });
      const tokens = `${call}/${id}/personal_access_tokens`;
      assert.deepEqual(await refusal(tokens, owner.token, { name: 'x' }), [400, 'scopes is missing']);
      assert.deepEqual(await refusal(tokens, owner.token, { ...wish, scopes: ['sudo'] }), [
        422,
        'Scopes can only contain available scopes',
      ]);
      assert.equal((await server.api(`${tokens}/999999/rotate`, { token: owner.token })).status, 404);
      // A token of another user cannot be reached through a service account.
      const own = await server.must('GET /personal_access_tokens/self', { token: owner.token });
      assert.equal((await server.api(`${tokens}/${own.id}/rotate`, { token: owner.token })).status, 404);
    });

    it('are managed by owners of groups and maintainers of projects only', async () => {
      const { id } = await server.must(`POST /groups/${group.id}/service_accounts`, { token: owner.token });
      for (const [who, ofGroup, ofProject] of [
        [maintainer.token, 403, 200],
        [developer.token, 403, 403],
        [outsider.token, 404, 404],
        [null, 401, 401],
      ] as const) {
        const status = async (call: string) => (await server.api(call, { token: who })).status;
        assert.equal(await status(`GET /projects/${project.id}/service_accounts`), ofProject);
        for (const call of [
          `GET /groups/${group.id}/service_accounts`,
          `POST /groups/${group.id}/service_accounts`,
          `DELETE /groups/${group.id}/service_accounts/${id}`,
          `GET /groups/${group.id}/service_accounts/${id}/personal_access_tokens`,
        ])
          assert.equal(await status(call), ofGroup, call);
      }
      assert.equal((await server.api('GET /service_accounts', { token: owner.token })).status, 403);
    });

    it("do not grant a higher role than the caller's", async () => {
      const call = `POST /projects/${project.id}/service_accounts`;
      const { id } = await server.must(call, { token: maintainer.token });
      const role = { user_id: id, access_level: 50 };
      await server.must(`POST /projects/${project.id}/members`, { token: owner.token, json: role });
      assert.deepEqual(await refusal(`${call}/${id}/personal_access_tokens`, maintainer.token, wish), [
        403,
        '403 Forbidden - The service account has a higher role than you',
      ]);
      await server.must(`${call}/${id}/personal_access_tokens`, { token: owner.token, json: wish });
    });

    it('do not grant a custom or Planner role that the caller may not give', async () => {
      const call = `POST /projects/${project.id}/service_accounts`;
      const custom = await server.must(`POST /groups/${group.id}/member_roles`, {
        token: owner.token,
        json: { name: 'Remover', base_access_level: 10, remove_project: true },
      });
      for (const role of [{ access_level: 15 }, { access_level: 10, member_role_id: custom.id }]) {
        const { id } = await server.must(call, { token: maintainer.token });
        await server.must(`POST /projects/${project.id}/members`, {
          token: owner.token,
          json: { user_id: id, ...role },
        });
        const tokens = `${call}/${id}/personal_access_tokens`;
        assert.equal((await refusal(tokens, maintainer.token, wish))[0], 403);
        const issued = await server.must(tokens, { token: owner.token, json: wish });
        assert.equal((await refusal(`${tokens}/${issued.id}/rotate`, maintainer.token))[0], 403);
      }
    });

    it('cannot be members outside of their group or project', async () => {
      const { token } = owner;
      const other = await server.must('POST /groups', { token, json: { name: 'Other', path: 'other' } });
      const ofGroup = await server.must(`POST /groups/${group.id}/service_accounts`, { token });
      const ofProject = await server.must(`POST /projects/${project.id}/service_accounts`, { token });
      const ofInstance = await server.must('POST /service_accounts', { json: { username: 'everywhere' } });
      const join = async (place: string, user_id: number) =>
        (await server.api(`POST ${place}/members`, { token, json: { user_id, access_level: 30 } })).status;
      assert.equal(await join(`/groups/${other.id}`, ofGroup.id), 400);
      assert.equal(await join(`/groups/${group.id}`, ofProject.id), 400);
      assert.equal(await join(`/groups/${other.id}`, ofInstance.id), 201);
      assert.equal(await join(`/projects/${project.id}`, ofGroup.id), 201);
      const ids = (await server.must('GET /service_accounts')).map((each: { id: number }) => each.id);
      assert.deepEqual(ids, [ofInstance.id]);
      const renamed = await server.must(`PATCH /service_accounts/${ofInstance.id}`, { json: { name: 'Everywhere' } });
      assert.equal(renamed.name, 'Everywhere');
      assert.equal((await server.api(`PATCH /service_accounts/${ofGroup.id}`, { json: {} })).status, 404);
    });

    it('are listed as provisioned users for maintainers of the group', async () => {
      const { token } = owner;
      const at = `/groups/${group.id}/provisioned_users`;
      const ids = async (query = '') =>
        (await server.must(`GET ${at}${query}`, { token })).map(({ id }: { id: number }) => id);
      const known = await ids();
      const json = { username: 'deployer', name: 'Deployer' };
      const created = await server.must(`POST /groups/${group.id}/service_accounts`, { token, json });
      const [first] = await server.must(`GET ${at}`, { token });
      assert.deepEqual([first.username, first.name, first.bot, first.state], ['deployer', 'Deployer', true, 'active']);
      assert.deepEqual(await ids(), [created.id, ...known]);
      assert.deepEqual(await ids('?username=DEPLOYER'), [created.id]);
      assert.deepEqual(await ids('?search=eploye'), [created.id]);
      assert.deepEqual(await ids('?search=nobody'), []);
      assert.deepEqual(await ids('?active=true&per_page=1'), [created.id]);
      assert.deepEqual(await ids('?created_after=2100-01-01'), []);
      await server.must(`POST /users/${created.id}/block`);
      assert.deepEqual(await ids('?blocked=true'), [created.id]);
      assert.deepEqual(await server.must(`GET /groups/${group.id}/saml_users`, { token }), []);
      const developer = await addPerson(server, 'looker');
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: developer.user.id, access_level: 30 } });
      for (const path of [at, `/groups/${group.id}/saml_users`]) {
        assert.equal((await server.api(`GET ${path}`, { token: null })).status, 401);
        assert.equal((await server.api(`GET ${path}`, { token: developer.token })).status, 403);
      }
      await server.must(`DELETE /groups/${group.id}/service_accounts/${created.id}`, { token });
    });

    it('have tokens without expiry if the instance says so', async () => {
      const { token } = owner;
      const { id } = await server.must(`POST /groups/${group.id}/service_accounts`, { token });
      const tokens = `/groups/${group.id}/service_accounts/${id}/personal_access_tokens`;
      const { expires_at: _, ...undated } = wish;
      const make = () => server.must(`POST ${tokens}`, { token, json: undated });
      const set = (json: object) => server.must('PUT /application/settings', { json });
      assert.equal((await make()).expires_at, inDays(365));
      await set({ service_access_tokens_expiration_enforced: false });
      assert.equal((await make()).expires_at, null);
      const far = { ...wish, expires_at: inDays(2000) };
      const created = await server.must(`POST ${tokens}`, { token, json: far });
      const rotated = await server.must(`POST ${tokens}/${created.id}/rotate`, {
        token,
        json: { expires_at: inDays(2000) },
      });
      assert.equal(rotated.expires_at, inDays(2000));
      const ofPerson = `POST /users/${owner.user.id}/personal_access_tokens`;
      assert.equal((await server.must(ofPerson, { json: undated })).expires_at, inDays(365));
      await set({ max_personal_access_token_lifetime: 30 });
      assert.equal((await make()).expires_at, inDays(30));
      assert.equal((await server.api(`POST ${tokens}`, { token, json: far })).status, 422);
      await set({ service_access_tokens_expiration_enforced: true, max_personal_access_token_lifetime: null });
    });

    it('are deleted with their group', async () => {
      const { token } = owner;
      const deleted = await server.must('POST /groups', {
        token,
        json: { name: 'Gone', path: 'gone', parent_id: group.id },
      });
      const { id } = await server.must(`POST /groups/${deleted.id}/service_accounts`, { token });
      const call = `POST /groups/${deleted.id}/service_accounts/${id}/personal_access_tokens`;
      const created = await server.must(call, { token, json: wish });
      await server.must(`DELETE /groups/${deleted.id}`, { token });
      const { full_path } = await server.must(`GET /groups/${deleted.id}`, { token });
      await server.must(`DELETE /groups/${deleted.id}`, { token, json: { permanently_remove: true, full_path } });
      await until(async () => (await server.api(`GET /users/${id}`)).status === 404);
      assert.equal((await server.api('GET /user', { token: created.token })).status, 401);
    });
  });
});
