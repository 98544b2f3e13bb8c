import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import type { Answer, Sending } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('Unleash API', () => {
    let place: ProjectWithRoles;
    let token: string;
    const says = (answer: Answer) => [answer.status, answer.body?.message ?? answer.body?.error];
    const lists = (rest = '') => `${place.base}/feature_flags_user_lists${rest}`;
    const unleash = (call: string, headers: Record<string, string>, sending: Sending = {}) => {
      const [method, path] = call.split(' ');
      const address = `${method} /feature_flags/unleash/${place.project.id}${path}`;
      return place.server.api(address, { token: null, headers, ...sending });
    };
    const shown = (environment: string) =>
      unleash('GET /client/features', { 'unleash-instanceid': token, 'unleash-appname': environment });

    before(async () => {
      place = await projectWithRoles(engine, 'unleashed');
      const [one, other] = await atOnce(2, () => place.asOwner(`GET ${place.base}/feature_flags_client`));
      assert.deepEqual(one?.body, other?.body);
      token = one?.body.instance_id;
      assert.equal(one?.body.api_url, `${place.server.url}/api/v4/feature_flags/unleash/${place.project.id}`);
    });

    it('lists the features of an environment', async () => {
      const list = await place.asDeveloper(`POST ${lists()}`, { json: { name: 'testers', user_xids: 'ann,bob' } });
      const scoped = (name: string, parameters: object, ...scopes: string[]) => ({
        name,
        parameters,
        scopes: scopes.map((environment_scope) => ({ environment_scope })),
      });
      const flags = [
        { name: 'everywhere', description: 'All', strategies: [scoped('default', {}, '*')] },
        { name: 'switched-off', active: false, strategies: [scoped('default', {}, '*')] },
        { name: 'nowhere', strategies: [scoped('default', {})] },
        {
          name: 'some',
          strategies: [
            scoped('userWithId', { userIds: 'eve' }, 'review/*'),
            { ...scoped('gitlabUserList', {}, 'production'), user_list_id: list.body.id },
          ],
        },
      ];
      for (const json of flags) {
        assert.equal((await place.asDeveloper(`POST ${place.base}/feature_flags`, { json })).status, 201);
      }
      const always = [
        { name: 'everywhere', description: 'All', enabled: true, strategies: [{ name: 'default', parameters: {} }] },
        { name: 'switched-off', enabled: false, strategies: [{ name: 'default', parameters: {} }] },
      ];
      const named = (userIds: string) => [{ name: 'userWithId', parameters: { userIds } }];
      const expected = (strategies: object[]) => ({
        version: 1,
        features: [always[0], { name: 'some', enabled: true, strategies }, always[1]],
      });
      assert.deepEqual((await shown('production')).body, expected(named('ann,bob')));
      assert.deepEqual((await shown('review/branch')).body, expected(named('eve')));
      assert.deepEqual((await shown('staging')).body, { version: 1, features: always });
      assert.deepEqual((await shown('')).body, { version: 1, features: [] });
      const query = `?instance_id=${token}&app_name=staging`;
      assert.deepEqual((await unleash(`GET /features${query}`, {})).body, { version: 1, features: always });
      await place.asDeveloper(`PUT ${lists('/1')}`, { json: { user_xids: 'ann' } });
      assert.deepEqual((await shown('production')).body, expected(named('ann')));
    });

    it('answers 304 if nothing changed', async () => {
      const first = await shown('production');
      const etag = first.headers.get('etag') ?? '';
      const headers = { 'unleash-instanceid': token, 'unleash-appname': 'production', 'if-none-match': etag };
      assert.equal((await unleash('GET /client/features', headers)).status, 304);
    });

    it('requires the client token of the project', async () => {
      const calls = ['GET /', 'GET /features', 'GET /client/features', 'POST /client/register', 'POST /client/metrics'];
      for (const call of calls) {
        const path = call === 'GET /' ? 'GET ' : call;
        const sending = call.startsWith('POST') ? { json: { appName: 'production', bucket: {} } } : {};
        assert.equal((await unleash(path, { 'unleash-instanceid': token }, sending)).status, 200);
        assert.deepEqual(says(await unleash(path, {}, sending)), [401, '401 Unauthorized']);
        assert.equal((await unleash(path, { 'unleash-instanceid': `${token}x` }, sending)).status, 401);
      }
      const elsewhere = { token: null, headers: { 'unleash-instanceid': token } };
      for (const other of ['999999', 'owner%2Funleashed', '1e3', '-1']) {
        assert.equal((await place.server.api(`GET /feature_flags/unleash/${other}/features`, elsewhere)).status, 401);
      }
      const row = await place.server.db.read.selectFrom('feature_flag_clients').selectAll().executeTakeFirstOrThrow();
      assert.ok(!JSON.stringify(row).includes(token.slice(7)));
    });

    it('rejects a token that was reset, and all requests while the feature is disabled', async () => {
      assert.equal((await place.asDeveloper(`PUT ${place.base}/feature_flags_client/reset_token`)).status, 403);
      assert.equal((await shown('production')).status, 200);
      const reset = await place.asOwner(`PUT ${place.base}/feature_flags_client/reset_token`);
      assert.equal(reset.status, 200);
      assert.equal((await shown('production')).status, 401);
      token = reset.body.instance_id;
      assert.equal((await shown('production')).status, 200);
      await place.asOwner(`PUT ${place.base}`, { json: { feature_flags_access_level: 'disabled' } });
      assert.equal((await shown('production')).status, 403);
      await place.asOwner(`PUT ${place.base}`, { json: { feature_flags_access_level: 'enabled' } });
    });

    it('supports user lists that can be created, searched, updated, and deleted when unused', async () => {
      const made = await place.asDeveloper(`POST ${lists()}`, { json: { name: 'beta group', user_xids: '' } });
      assert.deepEqual(
        { ...made.body, id: 0, created_at: '', updated_at: '' },
        {
          ...{ id: 0, iid: 2, project_id: place.project.id, created_at: '', updated_at: '' },
          ...{ name: 'beta group', user_xids: '' },
        },
      );
      assert.equal((await place.asDeveloper(`GET ${lists()}`)).body.length, 2);
      assert.equal((await place.asDeveloper(`GET ${lists('?search=GROUP')}`)).body[0].iid, 2);
      assert.deepEqual((await place.asDeveloper(`GET ${lists('?search=nobody')}`)).body, []);
      const again = { json: { name: 'testers', user_xids: 'x' } };
      assert.deepEqual(says(await place.asDeveloper(`POST ${lists()}`, again)), [400, ['Name has already been taken']]);
      const twice = { json: { user_xids: 'x,x' } };
      const text = 'User xids user_xids must be a string of unique comma separated values each 256 characters or less';
      assert.deepEqual(says(await place.asDeveloper(`PUT ${lists('/2')}`, twice)), [400, [text]]);
      assert.deepEqual(says(await place.asDeveloper(`POST ${lists()}`, { json: { name: 'x' } })), [
        400,
        'user_xids is missing',
      ]);
      const used = 'User list is associated with a strategy';
      assert.deepEqual(says(await place.asDeveloper(`DELETE ${lists('/1')}`)), [409, [used]]);
      assert.equal((await place.asDeveloper(`GET ${lists('/1')}`)).status, 200);
      assert.equal((await place.asDeveloper(`DELETE ${lists('/2')}`)).status, 204);
      assert.deepEqual(says(await place.asDeveloper(`GET ${lists('/2')}`)), [404, '404 Not found']);
      assert.equal((await place.asDeveloper(`POST ${lists()}`, again)).status, 400);
    });

    it('data is deleted with the project, including user lists in use', async () => {
      const { db } = place.server;
      await db.write((trx) => trx.deleteFrom('projects').where('id', '=', place.project.id).execute());
      for (const table of ['feature_flags', 'feature_flag_user_lists', 'feature_flag_strategies'] as const) {
        assert.deepEqual(await db.read.selectFrom(table).selectAll().execute(), []);
      }
      assert.equal((await shown('production')).status, 401);
    });
  });
});
