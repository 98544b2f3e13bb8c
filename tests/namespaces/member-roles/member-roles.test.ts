import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type User = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('custom roles', () => {
    let server: TestServer;
    let owner: User;
    let count = 0;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addUser(server, 'owner');
    });

    const newGroup = (more: object = {}) => {
      const path = `group-${++count}`;
      return server.must('POST /groups', { token: owner.token, json: { name: path, path, ...more } });
    };
    const newProject = (namespace_id: number) =>
      server.must('POST /projects', { token: owner.token, json: { name: `project-${++count}`, namespace_id } });
    const makeRole = (place: string, json: object = {}) =>
      server.must(`POST ${place}/member_roles`, {
        json: { name: `Role ${++count}`, base_access_level: 10, read_code: true, ...json },
      });
    const add = (place: string, user: { id: number }, json: object, token = owner.token) =>
      server.api(`POST ${place}/members`, { token, json: { user_id: user.id, access_level: 10, ...json } });
    const put = (place: string, user: { id: number }, json: object, token = owner.token) =>
      server.api(`PUT ${place}/members/${user.id}`, { token, json: { access_level: 10, ...json } });
    const roleOf = async (place: string, user: { id: number }, below = '/members/all') => {
      const { member_role } = await server.must(`GET ${place}${below}/${user.id}`);
      return member_role?.id;
    };
    const says = ({ status, body }: { status: number; body: { message?: unknown; error?: unknown } }) => [
      status,
      body.message ?? body.error,
    ];

    it('are created, listed and deleted by administrators, and in groups by owners', async () => {
      const group = await newGroup();
      const other = await addUser(server);
      for (const [place, token, group_id] of [
        ['', undefined, null],
        [`/groups/${group.id}`, owner.token, group.id],
      ] as const) {
        const as = token === undefined ? {} : { token };
        const json = { name: 'Guest + code', description: 'Reads', base_access_level: 10, read_code: 'true' };
        const made = await server.api(`POST ${place}/member_roles`, { ...as, json });
        assert.equal(made.status, 201, made.text);
        const { id, name, description, base_access_level, read_code, admin_runners, read_dependency } = made.body;
        assert.deepEqual(
          [name, description, base_access_level, made.body.group_id, read_code, admin_runners, read_dependency],
          ['Guest + code', 'Reads', 10, group_id, true, false, false],
        );
        assert.deepEqual(await server.must(`GET ${place}/member_roles`, as), [made.body]);
        const taken = await server.api(`POST ${place}/member_roles`, { ...as, json });
        assert.deepEqual(says(taken), [400, 'Name has already been taken']);
        for (const [call, sent] of [
          [`GET ${place}/member_roles`, undefined],
          [`POST ${place}/member_roles`, json],
          [`DELETE ${place}/member_roles/${id}`],
        ] as const) {
          const refused = await server.api(call, { token: other.token, json: sent });
          assert.ok([403, 404].includes(refused.status), `${call} ${refused.status}`);
          assert.equal((await server.api(call, { token: null, json: sent })).status, 401);
        }
        assert.equal((await server.api(`DELETE ${place}/member_roles/${id}`, as)).status, 204);
        const gone = await server.api(`DELETE ${place}/member_roles/${id}`, as);
        assert.deepEqual(says(gone), [404, '404 Member Role Not Found']);
      }
    });

    it('have a name by default, at least one permission, and what it requires', async () => {
      const group = await newGroup();
      const place = `/groups/${group.id}/member_roles`;
      const make = (json: object) => server.api(`POST ${place}`, { token: owner.token, json });
      assert.equal((await make({ base_access_level: 20, admin_runners: true })).body.name, 'Reporter - custom');
      for (const [json, message] of [
        [{ name: 'x' }, 'base_access_level is missing'],
        [{ base_access_level: 1 }, 'base_access_level does not have a valid value'],
        [{ base_access_level: 5, read_code: true }, 'base_access_level does not have a valid value'],
        [{ base_access_level: 10 }, 'Cannot create a member role with no enabled permissions'],
        [
          { base_access_level: 10, admin_vulnerability: true },
          'Read vulnerability has to be enabled in order to enable Admin vulnerability',
        ],
        [
          { base_access_level: 10, read_code: true, name: 'x'.repeat(300) },
          'Name is too long (maximum is 255 characters)',
        ],
      ] as const) {
        assert.deepEqual(says(await make(json)), [400, message], JSON.stringify(json));
      }
      assert.equal((await make({ base_access_level: 30, admin_vulnerability: true })).status, 201);
      const sub = await newGroup({ parent_id: group.id });
      const below = await server.api(`POST /groups/${sub.id}/member_roles`, {
        token: owner.token,
        json: { base_access_level: 10, read_code: true },
      });
      assert.deepEqual(says(below), [400, 'Creation of member role is allowed only for root groups']);
      assert.deepEqual(await server.must(`GET /groups/${sub.id}/member_roles`, { token: owner.token }), []);
    });

    it('are at most ten in a group', async () => {
      const group = await newGroup();
      const made = await atOnce(14, (index) =>
        server.api(`POST /groups/${group.id}/member_roles`, {
          token: owner.token,
          json: { name: `Role ${index}`, base_access_level: 10, read_code: true },
        }),
      );
      assert.deepEqual(made.map(({ status }) => status).sort(), [...Array(10).fill(201), ...Array(4).fill(400)]);
    });

    it('are given to members, whose level is that of the role', async () => {
      const group = await newGroup();
      const project = await newProject(group.id);
      const role = await makeRole(`/groups/${group.id}`);
      const foreign = await makeRole(`/groups/${(await newGroup()).id}`);
      for (const place of [`/groups/${group.id}`, `/projects/${project.id}`]) {
        const user = await addUser(server);
        const mismatch = await add(place, user, { access_level: 20, member_role_id: role.id });
        assert.deepEqual(says(mismatch), [
          400,
          { member_role_id: ["the custom role's base access level does not match the current access level"] },
        ]);
        for (const id of [foreign.id, 999_999]) {
          assert.deepEqual(says(await add(place, user, { member_role_id: id })), [400, { member_role: ['not found'] }]);
        }
        const added = await add(place, user, { member_role_id: role.id });
        assert.deepEqual([added.status, added.body.access_level, added.body.member_role], [201, 10, role]);
        const listed = await server.must(`GET ${place}/members`, { token: owner.token });
        assert.deepEqual(listed.find(({ id }: { id: number }) => id === user.id).member_role, role);
        assert.equal(await roleOf(place, user), role.id);
        // Without the parameter, a change removes the custom role.
        const changed = await put(place, user, { expires_at: '2099-01-01' });
        assert.deepEqual([changed.status, changed.body.member_role], [200, undefined]);
        assert.equal((await put(place, user, { member_role_id: role.id })).body.member_role.id, role.id);
        assert.equal((await put(place, user, { access_level: 20, member_role_id: role.id })).status, 400);
        assert.equal((await put(place, user, { access_level: 20 })).body.member_role, undefined);
      }
    });

    it('are not deleted while somebody has or is offered them', async () => {
      const group = await newGroup();
      const other = await newGroup();
      const project = await newProject(group.id);
      const place = `/groups/${group.id}`;
      const user = await addUser(server);
      const json = (member_role_id: number) => ({ member_role_id, group_access: 10, group_id: other.id });
      for (const [give, take] of [
        [
          (id: number) => add(place, user, { member_role_id: id }),
          () => server.api(`DELETE ${place}/members/${user.id}`, { token: owner.token }),
        ],
        [
          (id: number) =>
            server.api(`POST ${place}/invitations`, {
              token: owner.token,
              json: { email: 'later@example.com', access_level: 10, member_role_id: id },
            }),
          () => server.api(`DELETE ${place}/invitations/later@example.com`, { token: owner.token }),
        ],
        [
          (id: number) => server.api(`POST ${place}/share`, { token: owner.token, json: json(id) }),
          () => server.api(`DELETE ${place}/share/${other.id}`, { token: owner.token }),
        ],
        [
          (id: number) => server.api(`POST /projects/${project.id}/share`, { token: owner.token, json: json(id) }),
          () => server.api(`DELETE /projects/${project.id}/share/${other.id}`, { token: owner.token }),
        ],
      ] as const) {
        const { id } = await makeRole(place);
        const given = await give(id);
        assert.equal(given.status, 201, given.text);
        const refused = await server.api(`DELETE ${place}/member_roles/${id}`, { token: owner.token });
        assert.deepEqual(says(refused), [
          400,
          'Role is assigned to one or more group members. Remove role from all group members, then delete role.',
        ]);
        assert.equal((await take()).status, 204);
        assert.equal((await server.api(`DELETE ${place}/member_roles/${id}`, { token: owner.token })).status, 204);
      }
      const held = await makeRole(place);
      await add(place, user, { member_role_id: held.id });
      await server.must(`DELETE ${place}`, { token: owner.token });
    });

    it('come with invitations, and wait with memberships that await approval', async () => {
      const group = await newGroup();
      const place = `/groups/${group.id}`;
      const role = await makeRole(place);
      const email = `invited-${++count}@example.com`;
      const json = { email, access_level: 10, member_role_id: role.id };
      await server.must(`POST ${place}/invitations`, { token: owner.token, json });
      const change = (sent: object) =>
        server.api(`PUT ${place}/invitations/${email}`, { token: owner.token, json: sent });
      assert.equal((await change({ expires_at: '2099-01-01' })).body.member_role_id, role.id);
      assert.equal((await change({ access_level: 20 })).body.member_role_id, undefined);
      assert.equal((await change({ member_role_id: role.id })).status, 400);
      assert.equal((await change({ access_level: 10, member_role_id: role.id })).status, 200);
      const user = await server.must('POST /users', {
        json: { username: `u${count}`, name: 'U', email, password: 'long enough 4 you', skip_confirmation: true },
      });
      assert.equal(await roleOf(place, user), role.id);
      const state = (to: string) =>
        server.must(`PUT ${place}/members/${user.id}/state`, { token: owner.token, json: { state: to } });
      await state('awaiting');
      assert.equal((await server.api(`GET ${place}/members/all/${user.id}`)).status, 404);
      await state('active');
      assert.equal(await roleOf(place, user), role.id);
    });

    it('do not let people who manage members give more than they hold', async () => {
      const group = await newGroup();
      const place = `/groups/${group.id}`;
      const own = await makeRole(place, { admin_group_member: true });
      const less = await makeRole(place);
      const more = await makeRole(place, { admin_web_hook: true });
      const [manager, user, boss, held] = (await Promise.all(
        ['manager', 'user', 'boss', 'held'].map((name) => addUser(server, name)),
      )) as [User, User, User, User];
      await add(place, manager, { member_role_id: own.id });
      await add(place, boss, { access_level: 50 });
      await add(place, held, { member_role_id: more.id });
      const { token } = manager;
      assert.equal((await add(place, user, { member_role_id: more.id }, token)).status, 403);
      assert.equal((await add(place, user, { access_level: 20 }, token)).status, 403);
      assert.equal((await add(place, user, { access_level: 50 }, token)).status, 403);
      assert.equal((await add(place, user, { member_role_id: less.id }, token)).status, 201);
      assert.equal((await put(place, user, { member_role_id: own.id }, token)).status, 200);
      assert.equal((await put(place, user, { member_role_id: more.id }, token)).status, 403);
      assert.equal((await put(place, manager, { member_role_id: more.id }, token)).status, 403);
      assert.equal((await put(place, boss, {}, token)).status, 403);
      assert.equal((await put(place, held, {}, token)).status, 403);
      for (const { id } of [boss, held]) {
        assert.equal((await server.api(`DELETE ${place}/members/${id}`, { token })).status, 403);
      }
      const invited = await server.api(`POST ${place}/invitations`, {
        token,
        json: { email: 'more@example.com', access_level: 10, member_role_id: more.id },
      });
      assert.equal(invited.body.status, 'error', invited.text);
      for (const call of [`GET ${place}/member_roles`, `DELETE ${place}/member_roles/${less.id}`]) {
        assert.equal((await server.api(call, { token })).status, 403);
      }
      const assignable = await server.must(`GET ${place}/assignable_member_roles`, { token });
      assert.ok(assignable.some(({ id }: { id: number }) => id === less.id));
      // Removing somebody from the group must not end a higher role below it.
      const project = await newProject(group.id);
      await add(`/projects/${project.id}`, user, { access_level: 40 });
      assert.equal((await server.api(`DELETE ${place}/members/${user.id}`, { token })).status, 403);
      assert.equal(await roleOf(place, user), own.id);
      // Maintainers of a project give what Maintainers have.
      const maintainer = await addUser(server);
      await add(`/projects/${project.id}`, maintainer, { access_level: 40 });
      const give = (role: { id: number }) =>
        put(`/projects/${project.id}`, user, { member_role_id: role.id }, maintainer.token);
      assert.equal((await give(await makeRole(place, { remove_project: true }))).status, 403);
      assert.equal((await give(more)).status, 200);
    });

    it('are recorded in the audit events', async () => {
      const group = await newGroup();
      const place = `/groups/${group.id}`;
      const role = await makeRole(place);
      const user = await addUser(server);
      await add(place, user, { member_role_id: role.id });
      await put(place, user, {});
      await server.must(`DELETE ${place}/member_roles/${role.id}`);
      const events: { details: Record<string, unknown>; event_name: string }[] = await server.must(
        `GET ${place}/audit_events`,
        { token: owner.token },
      );
      const of = (name: string) => events.find(({ event_name }) => event_name === name)?.details;
      assert.deepEqual(of('member_role_created')?.permissions, ['read_code']);
      assert.equal(of('member_role_deleted')?.target_id, role.id);
      assert.equal(of('member_updated')?.member_role_from, role.id);
    });

    it('cost members without them no query, and others one at most', async () => {
      const group = await newGroup();
      const project = await newProject(group.id);
      const [plain, custom] = [await addUser(server), await addUser(server)];
      await add(`/groups/${group.id}`, plain, {});
      await add(`/groups/${group.id}`, custom, { member_role_id: (await makeRole('')).id });
      const lookups = ({ token }: User) =>
        server.undisturbed(async () => {
          let seen = 0;
          const stop = server.db.onQuery((text) => {
            if (text.includes('from "member_roles"')) seen += 1;
          });
          await server.must(`GET /projects/${project.id}`, { token });
          stop();
          return seen;
        });
      assert.deepEqual([await lookups(plain), await lookups(custom)], [0, 1]);
    });
  });
});
