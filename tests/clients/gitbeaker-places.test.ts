import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';
import type { Api } from './gitbeaker-scene.ts';

const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const numbers = (rows: readonly object[]) => rows.map((row) => (row as { id: number }).id);
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

forEachEngine((engine) => {
  describe('gitbeaker projects and groups', () => {
    let server: TestServer;
    let api: Api;
    let other: Api;
    let group: { id: number };
    let beside: { id: number };
    let project: { id: number };
    let user: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      api = new Gitlab({ host: server.url, token: rootToken }) as Api;
      group = await api.Groups.create('Group', 'group', { visibility: 'public' });
      beside = await api.Groups.create('Beside', 'beside', { visibility: 'public' });
      project = await api.Projects.create({ name: 'Project', namespaceId: group.id, visibility: 'public' });
      user = await api.Users.create({
        email: 'other@example.com',
        name: 'Other',
        username: 'other',
        password: 'meep meep meep',
        skipConfirmation: true,
      });
      const token = await api.Users.createPersonalAccessToken(user.id, 'own', ['api'], { expiresAt: tomorrow });
      other = new Gitlab({ host: server.url, token: (token as unknown as { token: string }).token }) as Api;
    });

    it('lists, downloads and deletes uploads of a group', async () => {
      const body = new FormData();
      body.set('file', new Blob(['plan']), 'plan.txt');
      // The client has no method for uploading.
      const { id } = await server.must(`POST /groups/${group.id}/uploads`, { body });
      const uploads = api.GroupMarkdownUploads;
      assert.deepEqual(numbers(await uploads.all(group.id)), [id]);
      assert.ok(await uploads.download(group.id, String(id)));
      await uploads.remove(group.id, String(id));
      assert.deepEqual(await uploads.all(group.id), []);
    });

    it('exports and imports a group', async () => {
      const { id } = await api.Groups.create('Moved', 'moved', { visibility: 'public' });
      await api.GroupLabels.create(id, 'kept', '#ff0000');
      assert.deepEqual(await api.GroupImportExports.scheduleExport(id), { message: '202 Accepted' });
      await server.running.services.queue.drain();
      const content = await api.GroupImportExports.download(id);
      const sent = await api.GroupImportExports.import({ content, filename: 'moved.tar.gz' }, 'again', {
        name: 'Again',
      });
      assert.deepEqual(sent, { message: '202 Accepted' });
      await server.running.services.queue.drain();
      const made = await api.Groups.show('again');
      assert.deepEqual([made.name, made.visibility], ['Again', 'private']);
      const labels = await api.GroupLabels.all(made.id);
      assert.deepEqual(
        labels.map(({ name }) => name),
        ['kept'],
      );
    });

    it('manages members, access requests and invitations', async () => {
      await api.ProjectMembers.add(project.id, 30, { userId: user.id });
      assert.equal((await api.ProjectMembers.edit(project.id, user.id, 40)).access_level, 40);
      assert.equal((await api.ProjectMembers.show(project.id, user.id)).access_level, 40);
      await api.ProjectMembers.remove(project.id, user.id);
      for (const [requests, place] of [
        [other.ProjectAccessRequests, project.id],
        [other.GroupAccessRequests, group.id],
      ] as const) {
        await requests.request(place);
      }
      assert.deepEqual(numbers(await api.ProjectAccessRequests.all(project.id)), [user.id]);
      assert.deepEqual(numbers(await api.GroupAccessRequests.all(group.id)), [user.id]);
      await api.ProjectAccessRequests.approve(project.id, user.id, { accessLevel: 20 });
      assert.equal((await api.ProjectMembers.show(project.id, user.id)).access_level, 20);
      await api.GroupAccessRequests.deny(group.id, user.id);
      assert.deepEqual(await api.GroupAccessRequests.all(group.id), []);
      for (const [invitations, place] of [
        [api.ProjectInvitations, project.id],
        [api.GroupInvitations, group.id],
      ] as const) {
        await invitations.add(place, 30, { email: 'guest@example.com' });
        await invitations.edit(place, 'guest@example.com', { accessLevel: 20 });
        const [invited] = await invitations.all(place, { query: 'guest' });
        assert.equal((invited as { access_level?: number }).access_level, 20);
        await invitations.remove(place, 'guest@example.com');
        assert.deepEqual(await invitations.all(place), []);
      }
      await api.Projects.importProjectMembers((await api.Projects.create({ name: 'Copy' })).id, project.id);
      assert.deepEqual(numbers(await api.Projects.allUsers(project.id, { search: 'other' })), [user.id]);
      await assert.rejects(other.ProjectMembers.edit(project.id, user.id, 50), /403|404/);
    });

    it('gives members custom roles', async () => {
      // The client sends new roles to the path of the members.
      const json = { base_access_level: 10, read_code: true };
      const role = await server.must(`POST /groups/${group.id}/member_roles`, { json });
      assert.deepEqual(numbers(await api.GroupMemberRoles.all(group.id, {})), [role.id]);
      // Its types do not know the parameter yet.
      const given = { userId: user.id, memberRoleId: role.id };
      const member = await api.GroupMembers.add(group.id, 10, given);
      assert.equal((member.member_role as { id: number }).id, role.id);
      await assert.rejects(api.GroupMemberRoles.remove(group.id, role.id), /assigned to one or more group members/);
      // The client misspells the parameter that keeps memberships in projects.
      await server.api(`DELETE /groups/${group.id}/members/${user.id}?skip_subresources=true`);
      await api.GroupMemberRoles.remove(group.id, role.id);
      assert.deepEqual(await api.GroupMemberRoles.all(group.id, {}), []);
    });

    it('shares with groups and unshares', async () => {
      await api.Projects.share(project.id, beside.id, 30);
      assert.deepEqual(numbers(await api.Projects.allInvitedGroups(project.id)), [beside.id]);
      assert.deepEqual(numbers(await api.Projects.allGroups(project.id, { withShared: true })), [group.id, beside.id]);
      assert.deepEqual(numbers(await api.Groups.allSharedProjects(beside.id)), [project.id]);
      await api.Projects.unshare(project.id, beside.id);
      assert.ok(numbers(await api.Projects.allSharableGroups(project.id)).includes(beside.id));
      await api.Groups.share(group.id, beside.id, 20, {});
      await api.Groups.unshare(group.id, beside.id, {});
    });

    it('transfers, archives, stars and finds projects and groups', async () => {
      const below = await api.Groups.create('Below', 'below', { parentId: group.id, visibility: 'public' });
      assert.deepEqual(numbers(await api.Groups.allDescendantGroups(group.id, {})), [below.id]);
      assert.deepEqual(numbers(await api.Groups.search('below')), [below.id]);
      assert.deepEqual(numbers(await api.Projects.search('Project')), [project.id]);
      assert.ok(numbers(await api.Groups.allTransferLocations(below.id)).includes(beside.id));
      await api.Groups.transfer(below.id, { groupId: beside.id });
      assert.equal((await api.Groups.show(below.id)).full_path, 'beside/below');
      assert.ok(numbers(await api.Projects.allTransferLocations(project.id)).includes(below.id));
      await api.Projects.transfer(project.id, below.id);
      await api.Groups.transferProject(group.id, project.id);
      assert.equal((await api.Projects.show(project.id)).path_with_namespace, 'group/project');
      assert.equal((await api.Projects.archive(project.id)).archived, true);
      assert.equal((await api.Projects.unarchive(project.id)).archived, false);
      await other.Projects.star(project.id);
      assert.equal((await api.Projects.allStarrers(project.id)).length, 1);
      assert.deepEqual(numbers(await api.Users.allStarredProjects(user.id)), [project.id]);
      await other.Projects.unstar(project.id);
      assert.equal((await api.Namespaces.show(below.id)).full_path, 'beside/below');
      assert.equal((await api.Namespaces.exists('group')).exists, true);
      assert.deepEqual(numbers(await api.Namespaces.all({ search: 'below' })), [below.id]);
      await api.Groups.remove(below.id);
      await api.Groups.restore(below.id);
    });

    it('sets avatars, custom attributes and topics', async () => {
      const picture = new Blob([pixel], { type: 'image/png' });
      await api.Projects.uploadAvatar(project.id, { content: picture, filename: 'a.png' });
      await api.Projects.removeAvatar(project.id);
      // The client sends group avatars to undocumented URLs.
      const form = new FormData();
      form.set('avatar', picture, 'a.png');
      const headers = { 'private-token': rootToken };
      await fetch(`${server.url}/api/v4/groups/${group.id}`, { method: 'PUT', headers, body: form });
      assert.equal((await api.Groups.downloadAvatar(group.id)).size, pixel.length);
      await api.Groups.removeAvatar(group.id);
      for (const [attributes, id] of [
        [api.ProjectCustomAttributes, project.id],
        [api.GroupCustomAttributes, group.id],
        [api.UserCustomAttributes, user.id],
      ] as const) {
        await attributes.set(id, 'floor', '3');
        assert.deepEqual(await attributes.show(id, 'floor'), { key: 'floor', value: '3' });
        assert.equal((await attributes.all(id)).length, 1);
        await attributes.remove(id, 'floor');
      }
      const topic = await api.Topics.create('one', { title: 'One' } as object);
      const second = await api.Topics.create('two', {
        title: 'Two',
        avatar: { content: picture, filename: 'b.png' },
      } as object);
      assert.equal((await api.Topics.edit(topic.id, { description: 'First' })).description, 'First');
      assert.equal((await api.Topics.show(topic.id)).name, 'one');
      assert.equal((await api.Topics.all({ search: 'two' })).length, 1);
      await api.Topics.merge(second.id, topic.id);
      await api.Topics.remove(topic.id);
    });

    it('manages access tokens and the job token scope', async () => {
      for (const [tokens, id] of [
        [api.ProjectAccessTokens, project.id],
        [api.GroupAccessTokens, group.id],
      ] as const) {
        const made = await tokens.create(id, 'robot', ['api'], tomorrow);
        assert.equal((await tokens.show(id, made.id)).name, 'robot');
        assert.deepEqual(numbers(await tokens.all(id)), [made.id]);
        const rotated = await tokens.rotate(id, made.id);
        await tokens.revoke(id, rotated.id);
      }
      const scopes = api.ProjectJobTokenScopes;
      await scopes.edit(project.id, true);
      assert.equal((await scopes.show(project.id)).inbound_enabled, true);
      const { id: target } = await api.Projects.create({ name: 'Target' });
      await scopes.addToInboundAllowList(project.id, target);
      assert.ok(numbers(await scopes.showInboundAllowList(project.id)).includes(target));
      await scopes.removeFromInboundAllowList(project.id, target);
      await scopes.addToGroupsAllowList(project.id, beside.id);
      assert.deepEqual(numbers(await scopes.showGroupsAllowList(project.id)), [beside.id]);
      await scopes.removeFromGroupsAllowList(project.id, beside.id);
    });

    it('manages users', async () => {
      const edited = await api.Users.edit(user.id, {
        bio: 'Meeps',
        avatar: { content: new Blob([pixel]), filename: 'c.png' },
      });
      assert.equal(edited.bio, 'Meeps');
      await other.Users.editStatus({ emoji: 'coffee', message: 'Away', clearStatusAfter: '1_day' });
      assert.equal((await api.Users.showStatus({ iDOrUsername: user.id })).message, 'Away');
      await other.Users.editCurrentUserPreferences(true, false);
      assert.equal((await other.Users.showCurrentUserPreferences()).view_diffs_file_by_file, true);
      await api.Users.follow(user.id);
      assert.deepEqual(numbers(await api.Users.allFollowers(user.id)), [1]);
      assert.deepEqual(numbers(await api.Users.allFollowing(1)), [user.id]);
      await api.Users.unfollow(user.id);
      assert.equal((await api.Users.allMemberships(user.id, { type: 'Project' })).length, 2);
      assert.equal((await api.Users.showAssociationsCount(user.id)).projects_count, 2);
      await other.Issues.create(project.id, 'Seen');
      assert.deepEqual(numbers(await api.Users.allContributedProjects(user.id)), [project.id]);
      assert.ok((await api.Users.allEvents(user.id)).length > 0);
      assert.deepEqual(await api.Users.allProjects(user.id), []);
      assert.ok((await api.Users.allActivities()).length > 0);
      assert.equal(typeof (await api.Users.showCount()).merge_requests, 'number');
      const address = await other.UserEmails.create('second@example.com');
      assert.equal((await other.UserEmails.show(address.id)).email, 'second@example.com');
      await api.UserEmails.add('third@example.com', { userId: user.id, skipConfirmation: true });
      assert.equal((await api.UserEmails.all({ userId: user.id })).length, 3);
      await other.UserEmails.remove(address.id);
      // Form fields are sent with the given names, without conversion.
      await api.Users.edit(user.id, { provider: 'saml', extern_uid: 'x' } as object);
      await api.Users.removeAuthenticationIdentity(user.id, 'saml');
      const borrowed = await api.UserImpersonationTokens.create(user.id, 'as', ['api'], { expiresAt: tomorrow });
      assert.equal((await api.UserImpersonationTokens.show(user.id, borrowed.id)).name, 'as');
      assert.deepEqual(numbers(await api.UserImpersonationTokens.all(user.id)), [borrowed.id]);
      await api.UserImpersonationTokens.revoke(user.id, borrowed.id);
      const mine = await api.Users.createPersonalAccessToken(user.id, 'more', ['api'], { expiresAt: tomorrow });
      assert.equal((await api.PersonalAccessTokens.show({ tokenId: mine.id })).name, 'more');
      const { id } = await api.PersonalAccessTokens.rotate(mine.id);
      await api.PersonalAccessTokens.remove({ tokenId: id });
      for (const [shut, open] of [
        ['ban', 'unban'],
        ['block', 'unblock'],
        ['deactivate', 'activate'],
      ] as const) {
        await api.Users[shut](user.id).catch((error: Error) => assert.match(error.message, /is not|active/));
        await api.Users[open](user.id).catch((error: Error) => assert.match(error.message, /is not|active/));
      }
      assert.equal((await api.Users.show(user.id)).state, 'active');
    });

    it('manages service accounts, avatars and system hooks', async () => {
      const service = await api.ServiceAccounts.create({ name: 'Robot', username: 'robot' });
      assert.equal(service.username, 'robot');
      const inGroup = await api.GroupServiceAccounts.create(group.id, { name: 'Bot', username: 'bot' });
      // The client's createPersonalAccessToken uses an undocumented URL.
      const token = await server.must(
        `POST /groups/${group.id}/service_accounts/${inGroup.id}/personal_access_tokens`,
        { json: { name: 'key', scopes: ['api'] } },
      );
      await api.GroupServiceAccounts.rotatePersonalAccessToken(group.id, inGroup.id, token.id);
      assert.match((await api.Avatar.show('other@example.com')).avatar_url, /^http/);
      const hook = await api.SystemHooks.create('https://example.com/hook');
      assert.deepEqual(numbers(await api.SystemHooks.all()), [hook.id]);
    });
  });
});
