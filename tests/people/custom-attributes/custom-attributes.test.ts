import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { inRounds } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('custom attributes', () => {
    let server: TestServer;
    let outsider: string;
    let owners: string[];

    before(async () => {
      server = await startTestServer(engine);
      outsider = (await addPerson(server, 'outsider')).token;
      const { user } = await addPerson(server, 'ann');
      const group = await server.must('POST /groups', { json: { name: 'G', path: 'gg' } });
      const project = await server.must('POST /projects', { json: { name: 'p', namespace_id: group.id } });
      owners = [
        `/users/${user.id}`,
        `/groups/${group.full_path}`,
        `/projects/${encodeURIComponent(project.path_with_namespace)}`,
      ];
    });

    it('are not set on owners deleted concurrently', async () => {
      await inRounds(async () => {
        const { user } = await addPerson(server, 'leaving');
        const path = `/users/${user.id}/custom_attributes`;
        await Promise.all([
          server.api(`DELETE /users/${user.id}`),
          ...['a', 'b', 'c', 'd'].map((key) => server.api(`PUT ${path}/${key}`, { json: { value: 'x' } })),
        ]);
        const rows = server.db.read.selectFrom('custom_attributes').select('key').where('owner_id', '=', user.id);
        assert.deepEqual(await rows.where('owner_kind', '=', 'user').execute(), []);
      }, 3);
    });

    it('are set, read, changed and deleted', async () => {
      for (const owner of owners) {
        const path = `${owner}/custom_attributes`;
        assert.deepEqual(await server.must(`GET ${path}`), []);
        const set = await server.api(`PUT ${path}/team.name`, { json: { value: 'red' } });
        assert.deepEqual([set.status, set.body], [200, { key: 'team.name', value: 'red' }]);
        await server.must(`PUT ${path}/team.name`, { json: { value: 'blue' } });
        await server.must(`PUT ${path}/size`, { json: { value: 'x'.repeat(10_000) } });
        assert.deepEqual(await server.must(`GET ${path}/team.name`), { key: 'team.name', value: 'blue' });
        assert.equal((await server.must(`GET ${path}`)).length, 2);
        assert.equal((await server.api(`DELETE ${path}/size`)).status, 204);
        for (const verb of ['GET', 'DELETE']) {
          const missing = await server.api(`${verb} ${path}/size`);
          assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
        }
      }
    });

    it('require a valid key and value', async () => {
      const path = `${owners[0]}/custom_attributes/x`;
      assert.deepEqual((await server.api(`PUT ${path}`, { json: {} })).body, { error: 'value is missing' });
      const blank = await server.api(`PUT ${path}`, { json: { value: ' ' } });
      assert.deepEqual([blank.status, blank.body], [400, { message: { value: ["can't be blank"] } }]);
      const long = await server.api(`PUT ${owners[0]}/custom_attributes/${'k'.repeat(256)}`, { json: { value: 'v' } });
      assert.deepEqual(long.body, { message: { key: ['is too long (maximum is 255 characters)'] } });
    });

    it('are restricted to administrators', async () => {
      for (const owner of owners) {
        const path = `${owner}/custom_attributes`;
        for (const call of [`GET ${path}`, `GET ${path}/x`, `DELETE ${path}/x`]) {
          assert.equal((await server.api(call, { token: outsider })).status, 403, call);
          assert.equal((await server.api(call, { token: null })).status, 401, call);
        }
        assert.equal((await server.api(`PUT ${path}/x`, { token: outsider, json: { value: 'v' } })).status, 403);
      }
    });

    it('answer 404 for missing owners', async () => {
      for (const kind of ['users', 'groups', 'projects']) {
        const { status, body } = await server.api(`GET /${kind}/999999/custom_attributes`);
        assert.deepEqual([status, body], [404, { message: '404 Not Found' }]);
      }
    });
  });
});
