import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';
import { refusal } from './gitbeaker-refusal.ts';
import type { Api } from './gitbeaker-scene.ts';

forEachEngine((engine) => {
  describe('gitbeaker seats, LDAP links, mirrors and runners', () => {
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

    it('lists billable members with their memberships and removes them', async () => {
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

    it('adds and deletes LDAP group links', async () => {
      await api.GroupLDAPLinks.add(group.id, 30, 'ldapmain', { cn: 'people' });
      // The client's types are wrong here: the method returns a list and takes options.
      const links = (await api.GroupLDAPLinks.all(group.id, {})) as unknown as { cn: string; group_access: number }[];
      assert.deepEqual(
        links.map(({ cn, group_access }) => [cn, group_access]),
        [['people', 30]],
      );
      await api.GroupLDAPLinks.remove(group.id, 'ldapmain', { cn: 'people' });
      const [status] = await refusal(api.GroupLDAPLinks.all(group.id, {}));
      assert.equal(status, 404);
    });

    it('gets the pull mirror of a project', async () => {
      await server.must(`PUT /projects/${project.id}/mirror/pull`, {
        json: { url: 'https://93.184.216.34/a/b.git', enabled: false },
      });
      assert.match(String((await api.Projects.showPullMirror(project.id)).url), /93\.184\.216\.34\/a\/b\.git$/);
    });

    it('triggers an existing pull mirror with its create method', async () => {
      const { id } = await api.Projects.create({ name: 'Unmirrored', namespaceId: group.id });
      const started = api.Projects.createPullMirror(id, 'https://93.184.216.34/a/b.git', true);
      assert.deepEqual(await refusal(started), [400, 'The project is not mirrored']);
    });

    it('creates a runner', async () => {
      const runner = await api.Users.createCIRunner('instance_type', { description: 'own' });
      assert.match(runner.token, /^glrt-/);
    });
  });
});
