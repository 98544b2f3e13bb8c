import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { inRounds } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('group lifecycle', () => {
    let server: TestServer;
    let owner: { id: number; token: string };
    let maintainer: { id: number; token: string };
    let count = 0;

    before(async () => {
      server = await startTestServer(engine);
      [owner, maintainer] = await Promise.all([addUser(server, 'owner'), addUser(server, 'maintainer')]);
    });

    async function make(more: object = {}, token = owner.token) {
      count += 1;
      const json = { name: `Group ${count}`, path: `group-${count}`, ...more };
      return server.must('POST /groups', { token, json });
    }
    const as = (call: string, json: object = {}, token = owner.token) =>
      server.api(call, call.startsWith('GET') ? { token } : { token, json });
    const join = (id: number, user: number, access_level: number) =>
      server.must(`POST /groups/${id}/members`, { json: { user_id: user, access_level } });
    const assertAnswer = (answer: { status: number; body: unknown }, status: number, message: unknown) =>
      assert.deepEqual([answer.status, answer.body], [status, { message }]);

    it('marks a group for deletion and restores it', async () => {
      const group = await make();
      const headers = { 'if-unmodified-since': new Date(0).toUTCString() };
      const stale = await server.api(`DELETE /groups/${group.id}`, { token: owner.token, headers });
      assertAnswer(stale, 412, '412 Precondition Failed');
      assertAnswer(await as(`DELETE /groups/${group.id}`), 202, '202 Accepted');
      const marked = await server.must(`GET /groups/${group.id}`, { token: owner.token });
      assert.equal(marked.full_path, `${group.path}-deletion_scheduled-${group.id}`);
      assert.equal(marked.name, `${group.name}-deletion_scheduled-${group.id}`);
      assert.equal(marked.marked_for_deletion_on, new Date().toISOString().slice(0, 10));
      assertAnswer(await as(`DELETE /groups/${group.id}`), 400, 'Group has already been marked for deletion');
      assert.equal((await as(`GET /groups/${group.path}`)).status, 404);
      const found = await server.must(`GET /groups?marked_for_deletion_on=${marked.marked_for_deletion_on}`);
      assert.ok(found.some((each: { id: number }) => each.id === group.id));
      const inactive = await server.must('GET /groups?active=false', { token: owner.token });
      assert.ok(inactive.some((each: { id: number }) => each.id === group.id));
      const back = await as(`POST /groups/${group.id}/restore`);
      assert.equal(back.status, 201);
      assert.deepEqual([back.body.full_path, back.body.marked_for_deletion_on], [group.path, null]);
      assertAnswer(await as(`POST /groups/${group.id}/restore`), 400, 'Group has not been marked for deletion');
    });

    it('frees the path of a marked group and refuses to restore it while the path is taken', async () => {
      const group = await make();
      await as(`DELETE /groups/${group.id}`);
      await make({ path: group.path });
      assertAnswer(await as(`POST /groups/${group.id}/restore`), 400, { path: ['has already been taken'] });
    });

    it('deletes a marked subgroup immediately if its path is confirmed', async () => {
      const top = await make();
      const inner = await make({ parent_id: top.id });
      const deep = await make({ parent_id: inner.id });
      const project = await server.must('POST /projects', { json: { name: 'gone', namespace_id: deep.id } });
      const remove = (id: number, path: string) =>
        as(`DELETE /groups/${id}?permanently_remove=true&full_path=${encodeURIComponent(path)}`);
      assertAnswer(
        await remove(top.id, top.full_path),
        400,
        '`permanently_remove` option is only available for subgroups.',
      );
      assertAnswer(await remove(inner.id, inner.full_path), 400, 'Group must be marked for deletion first.');
      await as(`DELETE /groups/${inner.id}`);
      assertAnswer(await as(`DELETE /groups/${deep.id}`), 202, '202 Accepted');
      assert.equal((await as(`GET /groups/${deep.id}`)).body.marked_for_deletion_on, null);
      assertAnswer(
        await remove(inner.id, inner.full_path),
        400,
        '`full_path` is incorrect. You must enter the complete path for the subgroup.',
      );
      const { full_path } = (await as(`GET /groups/${inner.id}`)).body;
      assertAnswer(await remove(inner.id, full_path), 202, '202 Accepted');
      await server.running.services.queue.drain();
      for (const call of [`GET /groups/${inner.id}`, `GET /groups/${deep.id}`, `GET /projects/${project.id}`]) {
        assert.equal((await as(call)).status, 404, call);
      }
      assert.equal((await as(`GET /groups/${top.id}`)).status, 200);
    });

    it('deletes a group after the deletion delay', async () => {
      const [group, restored] = [await make(), await make()];
      for (const { id } of [group, restored]) await as(`DELETE /groups/${id}`);
      await as(`POST /groups/${restored.id}/restore`);
      await server.db.write(async (trx) => {
        await trx.updateTable('namespaces').set({ marked_for_deletion_at: 1 }).where('id', '=', group.id).execute();
        const sweep = trx.updateTable('recurring_jobs').set({ next_run_at: 0 });
        await sweep.where('name', '=', 'groups.remove-marked').execute();
      });
      await server.running.services.queue.drain();
      assert.equal((await as(`GET /groups/${group.id}`)).status, 404);
      assert.equal((await as(`GET /groups/${restored.id}`)).status, 200);
    });

    it('is restricted to owners', async () => {
      const group = await make();
      await join(group.id, maintainer.id, 40);
      for (const call of ['DELETE /groups/:id', 'POST /groups/:id/restore', 'POST /groups/:id/archive']) {
        assertAnswer(await as(call.replace(':id', group.id), {}, maintainer.token), 403, '403 Forbidden');
      }
      for (const call of ['POST /groups/:id/transfer', 'GET /groups/:id/transfer_locations']) {
        const answer = await server.api(call.replace(':id', group.id), { token: maintainer.token });
        assertAnswer(answer, 403, '403 Forbidden');
      }
      assertAnswer(await server.api(`DELETE /groups/${group.id}`, { token: null }), 401, '401 Unauthorized');
    });

    it('archives a group with everything in it', async () => {
      const group = await make();
      const inner = await make({ parent_id: group.id });
      const frozen = await as(`POST /groups/${group.id}/archive`);
      assert.deepEqual([frozen.status, frozen.body.archived, 'projects' in frozen.body], [200, true, false]);
      assertAnswer(await as(`POST /groups/${group.id}/archive`), 422, 'Group is already archived!');
      assert.equal((await as(`GET /groups/${inner.id}`)).body.archived, true);
      const above = 'Cannot archive group since one of the ancestors is already archived!';
      assertAnswer(await as(`POST /groups/${inner.id}/archive`), 422, above);
      const archived = await server.must('GET /groups?archived=true&per_page=100', { token: owner.token });
      const ids = archived.map((each: { id: number }) => each.id);
      assert.ok(ids.includes(group.id) && ids.includes(inner.id));
      const label = await as(`POST /groups/${inner.id}/labels`, { name: 'x', color: 'red' });
      assertAnswer(label, 403, '403 Forbidden');
      assert.equal((await as('POST /groups', { name: 'N', path: 'nn', parent_id: inner.id })).status, 403);
      assert.equal((await as(`PUT /groups/${group.id}`, { description: 'still' })).status, 200);
      const thawed = await as(`POST /groups/${group.id}/unarchive?with_projects=true`);
      assert.deepEqual([thawed.status, thawed.body.archived, thawed.body.projects], [200, false, []]);
      assertAnswer(await as(`POST /groups/${group.id}/unarchive`), 422, 'Group is already unarchived!');
    });

    it('transfers a group under another one and back to the top level', async () => {
      const group = await make({ visibility: 'public' });
      const inner = await make({ visibility: 'public', parent_id: group.id });
      const target = await make({ visibility: 'private' });
      const json = { name: 'public', namespace_id: inner.id, visibility: 'public' };
      const project = await server.must('POST /projects', { json });
      const moved = await as(`POST /groups/${group.id}/transfer`, { group_id: target.id });
      assert.equal(moved.status, 201);
      assert.deepEqual(
        [moved.body.full_path, moved.body.parent_id, moved.body.visibility],
        [`${target.path}/${group.path}`, target.id, 'private'],
      );
      const deep = await server.must(`GET /groups/${inner.id}`, { token: owner.token });
      assert.deepEqual([deep.full_path, deep.visibility], [`${target.path}/${group.path}/${inner.path}`, 'private']);
      assert.equal((await server.must(`GET /projects/${project.id}`)).visibility, 'private');
      const below = await server.must(`GET /groups/${target.id}/descendant_groups`, { token: owner.token });
      assert.equal(below.length, 2);

      const failed = (why: string) => `Transfer failed: ${why}`;
      const again = await as(`POST /groups/${group.id}/transfer`, { group_id: target.id });
      assertAnswer(again, 400, failed('Group is already associated to the parent group.'));
      const inside = await as(`POST /groups/${target.id}/transfer`, { group_id: inner.id });
      assertAnswer(inside, 400, failed('Cannot transfer group to one of its subgroup.'));
      const top = await as(`POST /groups/${group.id}/transfer`);
      assert.deepEqual([top.status, top.body.parent_id, top.body.full_path], [201, null, group.path]);
      assertAnswer(await as(`POST /groups/${group.id}/transfer`), 400, failed('Group is already a root group.'));
      assert.equal((await as(`POST /groups/${group.id}/transfer`, { group_id: 999_999 })).status, 404);

      await make({ parent_id: target.id, path: group.path });
      const taken = await as(`POST /groups/${group.id}/transfer`, { group_id: target.id });
      assertAnswer(taken, 400, failed('The parent group already has a subgroup or a project with the same path.'));
    });

    /** Returns the expected and actual path and ancestors of every group. */
    async function tree() {
      const { db } = server;
      const groups = await db.read.selectFrom('namespaces').select(['id', 'parent_id', 'path', 'full_path']).execute();
      const rows = await db.read.selectFrom('namespace_ancestors').selectAll().orderBy('depth').execute();
      const byId = new Map(groups.map((group) => [group.id, group]));
      return groups.map(({ id, full_path }) => {
        const line: typeof groups = [];
        for (let at = byId.get(id); at && line.length < 30; at = byId.get(at.parent_id ?? 0)) line.push(at);
        const ancestors = rows.filter((row) => row.namespace_id === id).map((row) => row.ancestor_id);
        return {
          is: { full_path, ancestors },
          must: {
            full_path: line
              .map(({ path }) => path)
              .toReversed()
              .join('/'),
            ancestors: line.map((one) => one.id),
          },
        };
      });
    }

    it('keeps the hierarchy consistent under concurrent transfers, renames and creations', async () => {
      await inRounds(async () => {
        const [a, b, c] = [await make(), await make(), await make()];
        const [a1, b1, c1] = [
          await make({ parent_id: a.id }),
          await make({ parent_id: b.id }),
          await make({ parent_id: c.id }),
        ];
        const move = (group: { id: number }, to: { id: number }) =>
          as(`POST /groups/${group.id}/transfer`, { group_id: to.id });
        const answers = await Promise.all([
          ...[move(a, b1), move(b, c1), move(c, a1)],
          as(`PUT /groups/${c.id}`, { path: `renamed-${c.id}` }),
          ...[a1, b1, c1].map(({ id }) => as('POST /groups', { name: 'new', path: `new-${id}`, parent_id: id })),
        ]);
        assert.deepEqual(
          answers.filter(({ status }) => status >= 500),
          [],
        );
      }, 3);
      for (const { is, must } of await tree()) assert.deepEqual(is, must);
    });

    it('allows transfers only to groups in which the owner may create subgroups', async () => {
      const group = await make();
      const target = await make({}, maintainer.token);
      await join(target.id, owner.id, 30);
      const refused = await as(`POST /groups/${group.id}/transfer`, { group_id: target.id });
      assertAnswer(refused, 400, "Transfer failed: You don't have enough permissions.");
      const locations = async () => {
        const found = await server.must(`GET /groups/${group.id}/transfer_locations?search=${target.path}`, {
          token: owner.token,
        });
        return found.some((each: { id: number }) => each.id === target.id);
      };
      assert.equal(await locations(), false);
      await server.must(`PUT /groups/${target.id}/members/${owner.id}`, { json: { access_level: 40 } });
      assert.equal(await locations(), true);
      await server.must(`PUT /groups/${target.id}`, { json: { subgroup_creation_level: 'owner' } });
      assert.equal(await locations(), false);
      const [one] = await server.must(`GET /groups/${group.id}/transfer_locations`, { token: owner.token });
      assert.deepEqual(Object.keys(one), ['id', 'web_url', 'name', 'avatar_url', 'full_name', 'full_path']);
    });

    it('lets administrators move projects into a group', async () => {
      const [from, to] = [await make(), await make()];
      const project = await server.must('POST /projects', { json: { name: 'wanderer', namespace_id: from.id } });
      const call = `POST /groups/${to.id}/projects/${project.id}`;
      assertAnswer(await as(call), 403, '403 Forbidden');
      const moved = await server.api(call);
      assert.deepEqual([moved.status, moved.body.id], [201, to.id]);
      const now = await server.must(`GET /projects/${project.id}`);
      assert.equal(now.path_with_namespace, `${to.full_path}/wanderer`);
      const again = 'Failed to transfer project {:new_namespace=>["Project is already in this namespace."]}';
      assertAnswer(await server.api(call), 400, again);
    });

    it('answers 404 to an LDAP sync without a directory', async () => {
      const group = await make();
      assert.equal((await as(`POST /groups/${group.id}/ldap_sync`)).status, 404);
      await join(group.id, maintainer.id, 40);
      assert.equal((await as(`POST /groups/${group.id}/ldap_sync`, {}, maintainer.token)).status, 403);
    });
  });

  describe('group sharing', () => {
    let server: TestServer;
    let owner: { id: number; token: string };
    let guest: { id: number; token: string };
    let count = 0;

    before(async () => {
      server = await startTestServer(engine);
      [owner, guest] = await Promise.all([addUser(server, 'owner'), addUser(server, 'guest')]);
    });

    async function make(more: object = {}, token = owner.token) {
      count += 1;
      const json = { name: `Group ${count}`, path: `group-${count}`, ...more };
      return server.must('POST /groups', { token, json });
    }
    const share = (id: number, json: object, token = owner.token) =>
      server.api(`POST /groups/${id}/share`, { token, json });

    it('grants access to the members of the invited group', async () => {
      const [group, friends] = [await make(), await make()];
      const json = { user_id: guest.id, access_level: 40 };
      await server.must(`POST /groups/${friends.id}/members`, { token: owner.token, json });
      const day = '2099-01-31';
      const shared = await share(group.id, { group_id: friends.id, group_access: 30, expires_at: day });
      assert.equal(shared.status, 201);
      const link = {
        group_id: friends.id,
        group_name: friends.name,
        group_full_path: friends.full_path,
        group_access_level: 30,
        expires_at: day,
      };
      assert.deepEqual(shared.body.shared_with_groups, [link]);
      const lent = await server.must(`GET /groups/${group.id}/members/all/${guest.id}`, { token: guest.token });
      assert.equal(lent.access_level, 30);
      const again = await share(group.id, { group_id: friends.id, group_access: 20 });
      assert.deepEqual(
        [again.status, again.body.message],
        [409, 'Shared group The group has already been shared with this group'],
      );
      const inner = await make({ parent_id: group.id });
      const list = async (id: number, query: string) =>
        (await server.must(`GET /groups/${id}/${query}`, { token: owner.token })).map(
          (each: { id: number }) => each.id,
        );
      assert.deepEqual(await list(group.id, 'invited_groups'), [friends.id]);
      assert.deepEqual(await list(inner.id, 'invited_groups'), [friends.id]);
      assert.deepEqual(await list(inner.id, 'invited_groups?relation[]=direct'), []);
      assert.deepEqual(await list(inner.id, 'invited_groups?relation=inherited'), [friends.id]);
      assert.deepEqual(await list(friends.id, 'groups/shared'), [group.id]);

      const unshare = `DELETE /groups/${group.id}/share/${friends.id}`;
      assert.equal((await server.api(unshare, { token: guest.token })).status, 204);
      assert.deepEqual(await list(group.id, 'invited_groups'), [friends.id]);
      assert.equal((await server.api(unshare, { token: owner.token })).status, 204);
      const deleted = await server.api(unshare, { token: owner.token });
      assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Group Link Not Found' }]);
      assert.equal((await server.api(`GET /groups/${group.id}`, { token: guest.token })).status, 404);
    });

    it('does not reveal hidden groups', async () => {
      const [group, secret] = [await make({ visibility: 'public' }), await make({}, guest.token)];
      const hidden = await make({ visibility: 'private' });
      await share(group.id, { group_id: hidden.id, group_access: 20 });
      const unshare = await server.api(`DELETE /groups/${group.id}/share/${hidden.id}`, { token: guest.token });
      assert.deepEqual([unshare.status, unshare.body], [404, { message: '404 Group Link Not Found' }]);
      for (const [id, group_id, token] of [
        [group.id, secret.id, owner.token],
        [group.id, 999_999, owner.token],
        [group.id, secret.id, guest.token],
      ] as const) {
        const answer = await share(id, { group_id, group_access: 20 }, token);
        assert.deepEqual([answer.status, answer.body], [404, { message: 'Not Found' }]);
      }
      const friends = await make();
      await share(group.id, { group_id: friends.id, group_access: 20 });
      const seen = await server.must(`GET /groups/${group.id}`, { token: guest.token });
      assert.deepEqual(seen.shared_with_groups, []);
    });

    it('rejects invalid levels, past dates and groups outside a locked hierarchy', async () => {
      const [group, friends] = [await make(), await make()];
      const level = await share(group.id, { group_id: friends.id, group_access: 35 });
      assert.deepEqual(level.body, { error: 'group_access does not have a valid value' });
      const past = await share(group.id, { group_id: friends.id, group_access: 30, expires_at: '2001-01-01' });
      assert.deepEqual(past.body, { message: { expires_at: ['cannot be a date in the past'] } });
      const json = { prevent_sharing_groups_outside_hierarchy: true };
      await server.must(`PUT /groups/${group.id}`, { token: owner.token, json });
      assert.equal((await share(group.id, { group_id: friends.id, group_access: 30 })).status, 404);
      const [one, two] = [await make({ parent_id: group.id }), await make({ parent_id: group.id })];
      assert.equal((await share(one.id, { group_id: two.id, group_access: 30 })).status, 201);
      const project = await server.must('POST /projects', {
        token: owner.token,
        json: { name: 'Kept inside', namespace_id: one.id },
      });
      const withProject = (group_id: number) =>
        server.api(`POST /projects/${project.id}/share`, { token: owner.token, json: { group_id, group_access: 30 } });
      const outside = await withProject(friends.id);
      assert.deepEqual([outside.status, outside.body], [404, { message: 'Not Found' }]);
      assert.equal((await withProject(two.id)).status, 201);
    });
  });
});
