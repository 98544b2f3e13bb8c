import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, addToken, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10);

forEachEngine((engine) => {
  describe('personal access tokens', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    const make = (person: Person, json: object = {}) =>
      server.must(`POST /users/${person.user.id}/personal_access_tokens`, {
        json: { name: 'made', scopes: ['api'], ...json },
      });
    const refusal = async (call: string, token?: string | null, json?: object) => {
      const sending = { ...(token === undefined ? {} : { token }), ...(json ? { json } : {}) };
      const { status, body } = await server.api(call, sending);
      return [status, body];
    };

    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
    });

    it('are created by administrators and shown once', async () => {
      const created = await make(ann, { description: 'for CI', scopes: ['read_api', 'self_rotate'] });
      const { token, created_at, ...rest } = created;
      assert.match(token, /^glpat-[\w-]{20}$/);
      assert.ok(created_at);
      assert.deepEqual(rest, {
        id: created.id,
        name: 'made',
        revoked: false,
        description: 'for CI',
        scopes: ['read_api', 'self_rotate'],
        user_id: ann.user.id,
        last_used_at: null,
        active: true,
        expires_at: inDays(365),
      });
      const read = await server.must(`GET /personal_access_tokens/${created.id}`);
      assert.ok(!('token' in read));
      assert.deepEqual(read.last_used_ips, []);
      await server.must('GET /user', { token });
      assert.equal(
        (await server.api('GET /user', { headers: { authorization: `Bearer ${token}` }, token: null })).status,
        200,
      );
    });

    it('reject invalid attributes', async () => {
      const call = `POST /users/${ann.user.id}/personal_access_tokens`;
      const good = { name: 'x', scopes: ['api'] };
      assert.deepEqual(await refusal(call, undefined, {}), [400, { error: 'name is missing, scopes is missing' }]);
      const bad = { error: 'scopes does not have a valid value' };
      assert.deepEqual(await refusal(call, undefined, { ...good, scopes: ['everything'] }), [400, bad]);
      assert.deepEqual(await refusal(call, undefined, { ...good, expires_at: inDays(366) }), [
        422,
        { message: `Expiration date must be before ${inDays(365)}` },
      ]);
      assert.deepEqual(await refusal(call, undefined, { ...good, scopes: ['sudo'] }), [
        422,
        { message: 'Scopes can only contain available scopes' },
      ]);
      assert.deepEqual(await refusal(call, ann.token, good), [403, { message: '403 Forbidden' }]);
      const own = 'POST /user/personal_access_tokens';
      assert.deepEqual(await refusal(own, ann.token, good), [400, bad]);
      const created = await server.must(own, {
        token: ann.token,
        json: { name: 'x', scopes: 'self_rotate,k8s_proxy' },
      });
      assert.deepEqual(created.scopes, ['self_rotate', 'k8s_proxy']);
      assert.deepEqual(await refusal('POST /users/999999/personal_access_tokens', undefined, good), [
        404,
        { message: '404 User Not Found' },
      ]);
    });

    it('are listed for their owner, and all of them for administrators', async () => {
      const cy = await addPerson(server, 'cy');
      const later = await make(cy, { name: 'Zeta', expires_at: inDays(30) });
      const soon = await make(cy, { name: 'Alpha', expires_at: inDays(3) });
      const dead = await make(cy, { name: 'Dead', expires_at: inDays(0) });
      await server.must(`DELETE /personal_access_tokens/${later.id}`);
      const names = async (query: string, token = cy.token) =>
        (await server.must(`GET /personal_access_tokens?${query}`, { token })).map((row: { name: string }) => row.name);
      const cases: [string, string[]][] = [
        ['', ['test', 'Zeta', 'Alpha', 'Dead']],
        ['state=active', ['test', 'Alpha']],
        ['state=inactive', ['Zeta', 'Dead']],
        ['revoked=true', ['Zeta']],
        ['search=alp', ['Alpha']],
        ['sort=name_asc', ['Alpha', 'Dead', 'Zeta', 'test']],
        ['sort=created_desc', ['Dead', 'Alpha', 'Zeta', 'test']],
        ['sort=expires_asc', ['Dead', 'Alpha', 'Zeta', 'test']],
        ['sort=expires_desc', ['Zeta', 'Alpha', 'Dead', 'test']],
        [`expires_before=${inDays(5)}`, ['Alpha', 'Dead']],
        [`expires_after=${inDays(5)}`, ['Zeta']],
        [`created_before=${inDays(-1)}`, []],
        [`created_after=${inDays(-1)}`, ['test', 'Zeta', 'Alpha', 'Dead']],
        ['last_used_after=2020-01-01&revoked=true', []],
        [`user_id=${cy.user.id}&per_page=1`, ['test']],
      ];
      for (const [query, expected] of cases) assert.deepEqual(await names(query), expected, query);
      assert.equal((await names('sort=last_used_desc'))[0], 'test');
      assert.deepEqual(await refusal(`GET /personal_access_tokens?user_id=${ann.user.id}`, cy.token), [
        401,
        { message: '401 Unauthorized' },
      ]);
      assert.deepEqual(await refusal('GET /personal_access_tokens?user_id=999999'), [
        404,
        { message: '404 User Not Found' },
      ]);
      assert.deepEqual(await refusal('GET /personal_access_tokens?sort=up'), [
        400,
        { error: 'sort does not have a valid value' },
      ]);
      assert.ok((await server.must('GET /personal_access_tokens?per_page=100')).length >= 8);
      assert.deepEqual(await refusal('GET /user', dead.token), [
        401,
        {
          error: 'invalid_token',
          error_description: 'Token is expired. You can either do re-authorization or token refresh.',
        },
      ]);
      await server.must(`POST /personal_access_tokens/${dead.id}/rotate`, { token: cy.token });
      assert.ok(soon.active);
    });

    it('are hidden from other users', async () => {
      const created = await make(bob);
      const own = await server.must(`GET /personal_access_tokens/${created.id}`, { token: bob.token });
      assert.equal(own.id, created.id);
      for (const id of [created.id, 999_999]) {
        const refused = [401, { message: '401 Unauthorized' }];
        assert.deepEqual(await refusal(`GET /personal_access_tokens/${id}`, ann.token), refused);
        assert.deepEqual(await refusal(`POST /personal_access_tokens/${id}/rotate`, ann.token), refused);
      }
      assert.deepEqual(await refusal('GET /personal_access_tokens/999999'), [404, { message: '404 Not Found' }]);
      assert.deepEqual(await refusal(`DELETE /personal_access_tokens/${created.id}`, ann.token), [
        400,
        { message: '400 Bad request - Not permitted to revoke' },
      ]);
      assert.deepEqual(await refusal('DELETE /personal_access_tokens/999999', ann.token), [
        404,
        { message: '404 Not found' },
      ]);
      assert.equal((await server.api('GET /personal_access_tokens', { token: null })).status, 401);
    });

    it('are revoked permanently', async () => {
      const created = await make(ann);
      const call = `DELETE /personal_access_tokens/${created.id}`;
      assert.equal((await server.api(call, { token: ann.token })).status, 204);
      assert.equal((await server.api(call, { token: ann.token })).status, 204);
      assert.deepEqual(await refusal('GET /user', created.token), [
        401,
        {
          error: 'invalid_token',
          error_description: 'Token was revoked. You have to re-authorize from the user.',
        },
      ]);
    });

    it('describe themselves whatever their scopes', async () => {
      const project = await addProject(server, ann, 'mine');
      const token = await addToken(server, ann.user, ['write_repository']);
      const self = await server.must('GET /personal_access_tokens/self', { token });
      assert.deepEqual([self.user_id, self.scopes], [ann.user.id, ['write_repository']]);
      assert.equal((await refusal('GET /user', token))[0], 403);
      const reach = await server.must('GET /personal_access_tokens/self/associations', { token });
      assert.deepEqual(reach.groups, []);
      assert.equal(reach.projects[0].id, project.id);
      assert.deepEqual(reach.projects[0].access_levels, { project_access_level: 50, group_access_level: null });
      const group = await server.must('POST /groups', { token: ann.token, json: { name: 'Reach', path: `reach` } });
      const more = await server.must('GET /personal_access_tokens/self/associations?min_access_level=50', { token });
      assert.deepEqual([more.groups[0].id, more.groups[0].access_levels], [group.id, 50]);
      assert.equal((await server.api('DELETE /personal_access_tokens/self', { token })).status, 204);
      assert.equal((await refusal('GET /personal_access_tokens/self', token))[0], 401);
    });

    it('are rotated: the new one is active, the old one revoked', async () => {
      const created = await make(ann, { name: 'spin', description: 'd', scopes: ['self_rotate'] });
      const answer = await server.api('POST /personal_access_tokens/self/rotate', { token: created.token });
      assert.equal(answer.status, 200);
      const { body } = answer;
      assert.deepEqual(
        [body.name, body.description, body.scopes, body.expires_at, body.active],
        ['spin', 'd', ['self_rotate'], inDays(7), true],
      );
      assert.notEqual(body.id, created.id);
      assert.equal((await server.must(`GET /personal_access_tokens/${created.id}`)).revoked, true);
      assert.deepEqual(await refusal(`POST /personal_access_tokens/${created.id}/rotate`), [
        400,
        { message: '400 Bad request - Token already revoked' },
      ]);
      assert.deepEqual(
        await refusal(`POST /personal_access_tokens/${body.id}/rotate`, undefined, { expires_at: inDays(400) }),
        [400, { message: `400 Bad request - Expiration date must be before ${inDays(365)}` }],
      );
      const reader = await addToken(server, ann.user, ['read_api']);
      const scope = await server.api('POST /personal_access_tokens/self/rotate', { token: reader });
      assert.deepEqual([scope.status, scope.body.scope], [403, 'self_rotate api read_api']);
    });

    it('are revoked as a family when a revoked one is rotated', async () => {
      const first = await make(ann);
      const second = await server.must('POST /personal_access_tokens/self/rotate', { token: first.token });
      const third = await server.must('POST /personal_access_tokens/self/rotate', { token: second.token });
      await server.must('GET /user', { token: third.token });
      assert.equal((await refusal('GET /user', first.token))[0], 401);
      await server.must('GET /user', { token: third.token });
      assert.equal((await refusal('POST /personal_access_tokens/self/rotate', first.token))[0], 401);
      assert.equal((await refusal('GET /user', third.token))[0], 401);
    });

    it('have one successor when rotated concurrently', async () => {
      const created = await make(ann);
      const call = `POST /personal_access_tokens/${created.id}/rotate`;
      const answers = await Promise.all([1, 2, 3].map(() => server.api(call)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400]);
    });

    it('are revoked as a family when one rotates itself twice concurrently', async () => {
      const rotate = (token: string) => server.api('POST /personal_access_tokens/self/rotate', { token });
      const dead = async (token: string) => assert.equal((await server.api('GET /user', { token })).status, 401);
      await inRounds(async () => {
        const created = await make(ann);
        const answers = await atOnce(4, () => rotate(created.token));
        assert.deepEqual(statuses(answers), { 200: 1, 401: 3 });
        for (const { body } of answers) if (body.token) await dead(body.token);
      });
      await inRounds(async () => {
        const first = await make(ann);
        const second = (await rotate(first.token)).body;
        // The first one revokes the family while its active successor is being rotated.
        const [third] = await Promise.all([rotate(second.token), rotate(first.token), rotate(first.token)]);
        await dead(second.token);
        if (third.status === 200) await dead(third.body.token);
      }, 20);
    });

    it('can be impersonation tokens created by administrators', async () => {
      const path = `/users/${bob.user.id}/impersonation_tokens`;
      const json = { name: 'as bob', scopes: ['api'], expires_at: inDays(2) };
      const created = await server.must(`POST ${path}`, { json });
      assert.equal(created.impersonation, true);
      assert.equal((await server.must('GET /user', { token: created.token })).id, bob.user.id);
      assert.deepEqual(await refusal(`POST ${path}`, undefined, { name: 'x' }), [
        400,
        { message: { scopes: ["can't be blank"], expires_at: ["can't be blank"] } },
      ]);
      assert.deepEqual(await refusal(`POST ${path}`, undefined, { ...json, expires_at: inDays(400) }), [
        400,
        { message: { expires_at: [`must be before ${inDays(365)}`] } },
      ]);
      const own = await server.must('GET /personal_access_tokens?per_page=100', { token: bob.token });
      assert.ok(!own.some(({ id }: { id: number }) => id === created.id));
      assert.equal((await refusal(`GET /personal_access_tokens/${created.id}`, bob.token))[0], 401);
      assert.equal((await server.must(`GET ${path}?state=active`)).length, 1);
      assert.equal((await server.must(`GET ${path}/${created.id}`)).id, created.id);
      assert.equal((await server.api(`DELETE ${path}/${created.id}`)).status, 204);
      assert.equal((await server.must(`GET ${path}?state=active`)).length, 0);
      assert.equal((await server.must(`GET ${path}?state=inactive`)).length, 1);
      assert.deepEqual(await refusal(`GET ${path}/999999`), [404, { message: '404 Impersonation Token Not Found' }]);
      assert.equal((await refusal(`GET ${path}`, ann.token))[0], 403);
    });
  });
});
