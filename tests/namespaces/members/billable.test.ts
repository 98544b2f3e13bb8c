import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Person = Awaited<ReturnType<typeof addUser>>;
interface Seat {
  id: number;
  membership_type: string;
  removable: boolean;
  is_last_owner: boolean;
  email?: string;
}
interface Membership {
  source_id: number;
  source_full_name: string;
  source_members_url: string;
  access_level: { string_value: string; integer_value: number };
}

forEachEngine((engine) => {
  describe('billable members of a top-level group', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let contractor: Person;
    let guest: Person;
    let invited: Person;
    let minimal: Person;
    let outsider: Person;
    let top: number;
    let below: number;
    let project: number;
    let other: number;

    before(async () => {
      server = await startTestServer(engine);
      const names = ['olga', 'dev', 'contractor', 'guest', 'invited', 'minimal', 'outsider'];
      [owner, developer, contractor, guest, invited, minimal, outsider] = (await Promise.all(
        names.map((name) => addUser(server, name)),
      )) as [Person, Person, Person, Person, Person, Person, Person];
      const { token } = owner;
      top = (await server.must('POST /groups', { token, json: { name: 'Top', path: 'top' } })).id;
      below = (await server.must('POST /groups', { token, json: { name: 'Below', path: 'below', parent_id: top } })).id;
      project = (await server.must('POST /projects', { token, json: { name: 'inner', namespace_id: below } })).id;
      other = (await server.must('POST /groups', { json: { name: 'Other', path: 'other' } })).id;
      await join(`/groups/${top}`, developer, 30);
      await join(`/groups/${below}`, developer, 40);
      await join(`/projects/${project}`, contractor, 30);
      await join(`/groups/${below}`, guest, 10);
      await join(`/groups/${top}`, minimal, 5);
      await server.must(`POST /groups/${other}/members`, { json: { user_id: invited.id, access_level: 30 } });
      await server.must(`POST /groups/${below}/share`, { json: { group_id: other, group_access: 20 } });
    });

    const join = (place: string, user: Person, access_level: number) =>
      server.must(`POST ${place}/members`, { token: owner.token, json: { user_id: user.id, access_level } });
    const seats = (query = '', token: string = owner.token): Promise<Seat[]> =>
      server.must(`GET /groups/${top}/billable_members${query}`, { token });
    const ids = async (query = '') => (await seats(query)).map(({ id }) => id);
    const status = async (call: string, token: string | null = owner.token) =>
      (await server.api(call, { token })).status;

    it('include everyone with a role in the hierarchy or through an invited group, once', async () => {
      const found = new Map((await seats()).map((seat) => [seat.id, seat]));
      const root = (await server.must('GET /user')).id;
      const types = [...found].map(([id, { membership_type, removable }]) => [id, membership_type, removable]);
      assert.deepEqual(
        types,
        [
          [root, 'group_invite', false],
          [owner.id, 'group_member', true],
          [developer.id, 'group_member', true],
          [contractor.id, 'project_member', true],
          [guest.id, 'group_member', true],
          [invited.id, 'group_invite', false],
        ].sort(([a], [b]) => Number(a) - Number(b)),
      );
      assert.equal(found.get(owner.id)?.is_last_owner, true);
      assert.equal(found.get(developer.id)?.is_last_owner, false);
      assert.equal(found.get(owner.id)?.email, undefined);
      const asRoot = (await server.must(`GET /groups/${top}/billable_members`)) as Seat[];
      assert.equal(asRoot.find(({ id }) => id === owner.id)?.email, `${owner.username}@example.com`);
    });

    it('can be searched, sorted and paginated', async () => {
      assert.deepEqual(await ids(`?search=${contractor.username}`), [contractor.id]);
      assert.deepEqual(await ids(`?search=${outsider.username}`), []);
      assert.deepEqual(await ids(`?search=${owner.username}%40example.com`), []);
      const levels = await ids('?sort=access_level_desc');
      assert.deepEqual([levels.at(-3), levels.at(-1)], [invited.id, guest.id]);
      assert.deepEqual((await ids('?sort=access_level_asc')).slice(0, 1), [guest.id]);
      assert.equal((await ids('?sort=oldest_joined')).filter((id) => id !== invited.id)[1], owner.id);
      const byName = await ids('?sort=name_asc');
      assert.deepEqual(byName.toReversed(), await ids('?sort=name_desc'));
      for (const sort of ['last_joined', 'oldest_sign_in', 'recent_sign_in']) {
        assert.equal((await ids(`?sort=${sort}`)).length, 6, sort);
      }
      for (const sort of ['last_activity_on_asc', 'last_activity_on_desc']) {
        assert.equal((await ids(`?sort=${sort}`)).length, 6, sort);
      }
      const pages = [...(await ids('?per_page=4')), ...(await ids('?per_page=4&page=2'))];
      assert.deepEqual(pages, await ids());
      assert.equal(await status(`GET /groups/${top}/billable_members?sort=nonsense`), 400);
    });

    it('are listed with their memberships', async () => {
      const of = (user: Person, which: string): Promise<Membership[]> =>
        server.must(`GET /groups/${top}/billable_members/${user.id}/${which}`, { token: owner.token });
      const own = await of(developer, 'memberships');
      assert.deepEqual(
        own.map(({ source_id, source_full_name, access_level }) => [source_id, source_full_name, access_level]),
        [
          [top, 'Top', { string_value: 'Developer', integer_value: 30 }],
          [below, 'Top / Below', { string_value: 'Maintainer', integer_value: 40 }],
        ],
      );
      assert.match(String(own[1]?.source_members_url), /\/groups\/top\/below\/-\/group_members$/);
      const [inner] = await of(contractor, 'memberships');
      assert.deepEqual([inner?.source_id, inner?.source_full_name], [project, 'Top / Below / inner']);
      assert.match(String(inner?.source_members_url), /\/top\/below\/inner\/-\/project_members$/);
      assert.deepEqual(await of(invited, 'memberships'), []);
      // The invited group is private and stays hidden from the owner.
      assert.deepEqual(await of(invited, 'indirect'), []);
      await server.must(`PUT /groups/${other}`, { json: { visibility: 'internal' } });
      assert.deepEqual(
        (await of(invited, 'indirect')).map(({ source_id }) => source_id),
        [other],
      );
      assert.deepEqual(await of(developer, 'indirect'), []);
      assert.equal(await status(`GET /groups/${top}/billable_members/999999/memberships`), 404);
    });

    it('are visible to owners of top-level groups only', async () => {
      for (const path of ['billable_members', `billable_members/${guest.id}/memberships`, 'pending_members']) {
        assert.equal(await status(`GET /groups/${top}/${path}`, developer.token), 403, path);
        assert.equal(await status(`GET /groups/${top}/${path}`, outsider.token), 404, path);
        assert.equal(await status(`GET /groups/${top}/${path}`, null), 401, path);
        assert.equal(await status(`GET /groups/${below}/${path}`), 400, path);
      }
      assert.equal(await status(`DELETE /groups/${top}/billable_members/${guest.id}`, developer.token), 403);
      assert.equal(await status(`DELETE /groups/${below}/billable_members/${guest.id}`), 400);
    });

    it('are removed from the whole hierarchy', async () => {
      const deleted = await addUser(server, 'gone');
      await join(`/groups/${below}`, deleted, 20);
      await join(`/projects/${project}`, deleted, 30);
      const call = `DELETE /groups/${top}/billable_members/${deleted.id}`;
      assert.equal(await status(call), 204);
      assert.equal((await ids()).includes(deleted.id), false);
      assert.equal(await status(`GET /projects/${project}`, deleted.token), 404);
      assert.equal(await status(call), 400);
      assert.equal(await status(`DELETE /groups/${top}/billable_members/${invited.id}`), 400);
      assert.equal(await status(`DELETE /groups/${top}/billable_members/${owner.id}`), 403);
      assert.equal((await ids()).includes(owner.id), true);
    });

    describe('awaiting members', () => {
      const state = (user: Person, to: string, token: string = owner.token) =>
        server.api(`PUT /groups/${top}/members/${user.id}/state`, { token, json: { state: to } });
      const pending = (): Promise<{ id: number; username?: string; email?: string; invited: boolean }[]> =>
        server.must(`GET /groups/${top}/pending_members`, { token: owner.token });

      it('have no role until approved, then their former roles', async () => {
        const late = await addUser(server, 'late');
        await join(`/groups/${top}`, late, 20);
        await join(`/projects/${project}`, late, 30);
        assert.equal(await status(`GET /projects/${project}`, late.token), 200);
        assert.deepEqual((await state(late, 'awaiting')).body, { success: true });
        assert.equal((await state(late, 'awaiting')).status, 200);
        assert.equal(await status(`GET /projects/${project}`, late.token), 404);
        assert.equal((await ids()).includes(late.id), false);
        const all = `/groups/${top}/members/all`;
        const waiting = await server.must(`GET ${all}?state=awaiting`, { token: owner.token });
        assert.deepEqual(
          waiting.map((member: { id: number; membership_state: string }) => [member.id, member.membership_state]),
          [[late.id, 'awaiting']],
        );
        const [first] = await pending();
        assert.equal(first?.username, late.username);
        assert.deepEqual((await state(late, 'active')).body, { success: true });
        assert.equal(
          (await server.must(`GET /projects/${project}/members/${late.id}`, { token: owner.token })).access_level,
          30,
        );
        assert.equal(
          (await server.must(`GET /groups/${top}/members/${late.id}`, { token: owner.token })).access_level,
          20,
        );
        assert.deepEqual(await pending(), []);
        assert.equal((await state(late, 'active')).status, 200);
      });

      it('are approved by id or all at once', async () => {
        const [one, two] = (await Promise.all(['one', 'two'].map((name) => addUser(server, name)))) as [Person, Person];
        for (const user of [one, two]) {
          await join(`/groups/${below}`, user, 30);
          assert.equal((await state(user, 'awaiting')).status, 200);
        }
        const address = 'not-yet@example.com';
        const json = { email: address, access_level: 30 };
        await server.must(`POST /projects/${project}/invitations`, { token: owner.token, json });
        const list = await pending();
        assert.deepEqual(
          list.map(({ username, email, invited: by }) => [username ?? email, by]),
          [
            [one.username, false],
            [two.username, false],
            [address, true],
          ],
        );
        const approve = `PUT /groups/${top}/members/${list[0]?.id}/approve`;
        assert.equal(await status(approve, developer.token), 403);
        assert.equal(await status(approve), 200);
        assert.equal(await status(approve), 404);
        assert.equal((await pending()).length, 2);
        assert.equal(await status(`POST /groups/${top}/members/approve_all`), 201);
        assert.equal((await pending()).length, 1);
        assert.equal((await ids()).filter((id) => id === one.id || id === two.id).length, 2);
      });

      it('cannot be the last owner, the caller or a user without a role', async () => {
        assert.equal((await state(owner, 'awaiting')).status, 400);
        const root = { ...outsider, token: (await addUser(server, 'admin')).token };
        assert.equal((await state(outsider, 'awaiting')).status, 404);
        assert.equal((await state(outsider, 'active')).status, 404);
        assert.equal((await state(guest, 'nonsense')).status, 400);
        assert.equal((await state(guest, 'awaiting', developer.token)).status, 403);
        assert.equal((await state(guest, 'awaiting', root.token)).status, 404);
        const asRoot = await server.api(`PUT /groups/${top}/members/${owner.id}/state`, {
          json: { state: 'awaiting' },
        });
        assert.deepEqual(
          [asRoot.status, asRoot.body.message],
          [400, '400 Bad request - The last owner cannot be set to awaiting'],
        );
        assert.equal((await ids()).includes(guest.id), true);
      });

      it('stop waiting when added again, removed or banned', async () => {
        const user = await addUser(server, 'again');
        const letWait = async () => {
          await join(`/groups/${below}`, user, 30);
          assert.equal((await state(user, 'awaiting')).status, 200);
        };
        await letWait();
        await join(`/groups/${below}`, user, 20);
        assert.deepEqual(
          (await pending()).filter(({ username }) => username === user.username),
          [],
        );
        assert.equal(await status(`DELETE /groups/${below}/members/${user.id}`), 204);
        await letWait();
        assert.equal(await status(`DELETE /groups/${top}/billable_members/${user.id}`), 204);
        assert.equal((await state(user, 'active')).status, 404);
        await letWait();
        assert.equal(await status(`POST /groups/${top}/members/${user.id}/ban`), 201);
        assert.equal((await state(user, 'active')).status, 404);
      });
    });
  });
});
