import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('settings for creating and deleting projects', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine);
    });

    const set = (json: object) => server.must('PUT /application/settings', { json });

    it('restrict project deletion to administrators', async () => {
      const { token } = await addUser(server);
      const project = await server.must('POST /projects', { token, json: { name: 'kept' } });
      await set({ default_project_deletion_protection: true });
      assert.equal((await server.api(`DELETE /projects/${project.id}`, { token })).status, 403);
      const found = await server.must(`GET /projects/${project.id}`, { token });
      assert.deepEqual([found.path, found.marked_for_deletion_on], ['kept', null]);
      assert.equal((await server.api(`DELETE /projects/${project.id}`)).status, 202);
      await server.must(`POST /projects/${project.id}/restore`);
      await set({ default_project_deletion_protection: false });
      assert.equal((await server.api(`DELETE /projects/${project.id}`, { token })).status, 202);
    });

    it('deny personal projects and groups to users who are at most Guests', async () => {
      const guest = await addUser(server);
      const group = await server.must('POST /groups', { json: { name: 'Team', path: 'team' } });
      const role = (access_level: number) => ({ json: { user_id: guest.id, access_level } });
      await server.must(`POST /groups/${group.id}/members`, role(10));
      const asGuest = (call: string, json: object) => server.api(call, { token: guest.token, json });
      await set({ allow_project_creation_for_guest_and_below: false });
      const refused = await asGuest('POST /projects', { name: 'mine' });
      assert.deepEqual(
        [refused.status, refused.body],
        [403, { error: ['You cannot create projects in your personal namespace. Contact your GitLab administrator.'] }],
      );
      assert.equal((await asGuest('POST /groups', { name: 'Mine', path: 'mine' })).status, 403);
      assert.deepEqual((await server.api('GET /projects?owned=true', guest)).body, []);
      await server.must(`PUT /groups/${group.id}/members/${guest.id}`, { json: { access_level: 20 } });
      assert.equal((await asGuest('POST /projects', { name: 'mine' })).status, 201);
      assert.equal((await asGuest('POST /groups', { name: 'Mine', path: 'mine' })).status, 201);
      const other = await addUser(server);
      await set({ allow_project_creation_for_guest_and_below: true });
      assert.equal((await server.api('POST /projects', { token: other.token, json: { name: 'x' } })).status, 201);
    });

    it('enable and disable the metrics endpoint', async () => {
      const figures = async () => {
        const answer = await fetch(`${server.url}/-/metrics`);
        return [answer.status, /^# (HELP|TYPE) /m.test(await answer.text())];
      };
      assert.deepEqual(await figures(), [200, true]);
      await set({ prometheus_metrics_enabled: false });
      assert.deepEqual(await figures(), [200, false]);
      await set({ prometheus_metrics_enabled: true });
      assert.deepEqual(await figures(), [200, true]);
    });
  });
});
