import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';
import { refusal } from './gitbeaker-refusal.ts';
import type { Api } from './gitbeaker-scene.ts';

forEachEngine((engine) => {
  describe('gitbeaker, on seats and runners', () => {
    let server: TestServer;
    let api: Api;
    let group: { id: number };
    let project: { id: number };
    let user: { id: number; username: string };

    before(async () => {
      server = await startTestServer(engine);
      api = new Gitlab({ host: server.url, token: rootToken }) as Api;
      group = await api.Groups.create('Firm', 'firm');
      project = await api.Projects.create({ name: 'Project', namespaceId: group.id });
      user = await api.Users.create({
        email: 'ann@example.com',
        name: 'Ann',
        username: 'ann',
        password: 'meep meep meep',
        skipConfirmation: true,
      });
      await api.ProjectMembers.add(project.id, 30, { userId: user.id });
    });

    it('lists who takes a seat, by which memberships, and ends these', async () => {
      const seats = await api.GroupMembers.allBillable(group.id);
      assert.deepEqual(
        seats.map(({ username, membership_type }) => [username, membership_type]),
        [
          ['root', 'group_member'],
          ['ann', 'project_member'],
        ],
      );
      const [membership] = await api.GroupMembers.allBillableMemberships(group.id, user.id);
      assert.equal(membership?.source_full_name, 'Firm / Project');
      assert.deepEqual(await api.GroupMembers.allPending(group.id), []);
      await api.GroupMembers.removeBillable(group.id, user.id);
      assert.deepEqual(
        (await api.GroupMembers.allBillable(group.id)).map(({ username }) => username),
        ['root'],
      );
      const [status] = await refusal(api.GroupMembers.removeBillable(group.id, user.id));
      assert.equal(status, 400);
    });

    it('makes a runner', async () => {
      const runner = await api.Users.createCIRunner('instance_type', { description: 'own' });
      assert.match(runner.token, /^glrt-/);
    });
  });
});
