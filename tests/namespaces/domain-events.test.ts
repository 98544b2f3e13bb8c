import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Area } from '../../src/access/area.ts';
import { Conflict } from '../../src/platform/http/errors.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('group and member events', () => {
    let server: TestServer;
    let owner: { id: number; username: string; token: string };
    let person: { id: number; username: string; token: string };
    let group: { id: number; path: string };
    let announced: unknown[] = [];
    let refusing = false;

    const hear = (...what: unknown[]) => {
      announced.push(what);
      if (refusing) throw new Conflict('refused by a subscriber');
    };
    const listener: Area = {
      name: 'listener',
      on: {
        'group.created': async (_, __, { group: { full_path }, by }) => hear('created', full_path, by.username),
        'group.updated': async (_, __, { before: { path }, group: now, by }) =>
          hear('updated', path, now.path, now.archived, now.marked_for_deletion_at !== null, by?.username),
        'group.transferred': async (_, __, { before: { full_path }, group: now, by }) =>
          hear('transferred', full_path, now.full_path, by?.username),
        'group.removed': async (_, trx, { group: { id, full_path } }) =>
          hear(
            'removed',
            full_path,
            (await trx.selectFrom('namespaces').select('id').where('id', '=', id).execute()).length,
          ),
        'group.shared': async (_, __, { invited, accessLevel }) => hear('shared', invited.full_path, accessLevel),
        'group.unshared': async (_, __, { invitedId }) => hear('unshared', invitedId),
        'member.added': async (_, __, { member, by }) =>
          hear('member added', member.user_id, member.access_level, by?.username),
        'member.updated': async (_, __, { member, before: { access_level } }) =>
          hear('member updated', member.user_id, access_level, member.access_level),
        'member.removed': async (_, __, { member, expired, by }) =>
          hear('member removed', member.user_id, expired, by?.username),
        'member.invited': async (_, __, { invitation, token }) =>
          hear('invited', invitation.email, token !== invitation.token),
        'access.requested': async (_, __, { user, namespaceId }) => hear('asked', user.id, namespaceId),
        'access.denied': async (_, __, { userId, by }) => hear('denied', userId, by.username),
      },
    };

    before(async () => {
      server = await startTestServer(engine, [], [listener]);
      owner = await addUser(server, 'owner');
      person = await addUser(server, 'person');
      const json = { name: 'heard', path: 'heard', visibility: 'public' };
      group = await server.must('POST /groups', { token: owner.token, json });
    });
    beforeEach(() => {
      announced = [];
    });
    const call = (line: string, json: object = {}, token: string = owner.token) => server.must(line, { token, json });

    it('announces creation, update, archival and sharing of a group', async () => {
      const made = await call('POST /groups', { name: 'made', path: 'made', parent_id: group.id });
      await call(`PUT /groups/${made.id}`, { path: 'renamed' });
      await call(`POST /groups/${made.id}/archive`);
      await call(`POST /groups/${made.id}/share`, { group_id: group.id, group_access: 20 });
      await server.api(`DELETE /groups/${made.id}/share/${group.id}`, { token: owner.token });
      assert.deepEqual(announced, [
        ['created', 'heard/made', owner.username],
        ['member added', owner.id, 50, owner.username],
        ['updated', 'made', 'renamed', 0, false, owner.username],
        ['updated', 'renamed', 'renamed', 1, false, owner.username],
        ['shared', 'heard', 20],
        ['unshared', group.id],
      ]);
    });

    it('announces transfer, deletion mark, restoration and deletion of a group hierarchy', async () => {
      const created = await call('POST /groups', { name: 'moving', path: 'moving' });
      await call('POST /groups', { name: 'inner', path: 'inner', parent_id: created.id });
      announced = [];
      await call(`POST /groups/${created.id}/transfer`, { group_id: group.id });
      await call(`DELETE /groups/${created.id}`);
      await call(`POST /groups/${created.id}/restore`);
      await call(`DELETE /groups/${created.id}`);
      const marked = `moving-deletion_scheduled-${created.id}`;
      await call(`DELETE /groups/${created.id}`, { permanently_remove: true, full_path: `heard/${marked}` });
      await server.running.services.queue.drain();
      assert.deepEqual(announced, [
        ['transferred', 'moving', 'heard/moving', owner.username],
        ['updated', 'moving', marked, 0, true, owner.username],
        ['updated', marked, 'moving', 0, false, owner.username],
        ['updated', 'moving', marked, 0, true, owner.username],
        ['removed', `heard/${marked}`, 1],
        ['removed', `heard/${marked}/inner`, 1],
      ]);
    });

    it('announces added, changed, removed and invited members and access requests', async () => {
      const members = `/groups/${group.id}/members`;
      await call(`POST ${members}`, { user_id: person.id, access_level: 20 });
      await call(`PUT ${members}/${person.id}`, { access_level: 30 });
      await server.api(`DELETE ${members}/${person.id}`, { token: owner.token });
      await call(`POST /groups/${group.id}/invitations`, { email: 'new@example.org', access_level: 20 });
      await call(`POST /groups/${group.id}/access_requests`, {}, person.token);
      await server.api(`DELETE /groups/${group.id}/access_requests/${person.id}`, { token: owner.token });
      assert.deepEqual(announced, [
        ['member added', person.id, 20, owner.username],
        ['member updated', person.id, 20, 30],
        ['member removed', person.id, false, owner.username],
        ['invited', 'new@example.org', true],
        ['asked', person.id, group.id],
        ['denied', person.id, owner.username],
      ]);
    });

    it('rolls back the change when a handler throws', async () => {
      refusing = true;
      const answer = await server.api(`POST /groups/${group.id}/members`, {
        token: owner.token,
        json: { user_id: person.id, access_level: 20 },
      });
      refusing = false;
      assert.equal(answer.status, 409);
      assert.equal((await server.api(`GET /groups/${group.id}/members/${person.id}`)).status, 404);
    });
  });
});
