import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { mustGraphql } from '../support/graphql.ts';
import { addPerson, type Person } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const membersOf = `query ($path: ID!, $relations: [MemberRelation!], $search: String, $first: Int) {
  project(fullPath: $path) {
    projectMembers(relations: $relations, search: $search, first: $first) {
      count pageInfo { hasNextPage }
      nodes { user { username } accessLevel { stringValue integerValue } ... on ProjectMember { id project { fullPath } } }
    }
  }
}`;
const places = `query ($all: Boolean) {
  currentUser {
    namespace { id fullPath fullName }
    groups { nodes { fullPath } }
    projectMemberships { nodes { project { fullPath } accessLevel { stringValue } user { username } } }
    groupMemberships { nodes { group { fullPath } accessLevel { stringValue } } }
  }
  groups(allAvailable: $all) { nodes { fullPath userPermissions { createProjects createSubgroup } } }
}`;

forEachEngine((engine) => {
  describe('GraphQL members and memberships', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let outsider: Person;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      outsider = await addPerson(server, 'outsider');
      const token = owner.token;
      const { id: group } = await server.must('POST /groups', { token, json: { name: 'Team', path: 'team' } });
      const json = { name: 'App', path: 'app', namespace_id: group };
      const { id: project } = await server.must('POST /projects', { token, json });
      const add = (place: string, user_id: number, access_level: number) =>
        server.must(`POST ${place}/members`, { token, json: { user_id, access_level } });
      await add(`/groups/${group}`, developer.user.id, 30);
      const guest = await addPerson(server, 'guest');
      await add(`/projects/${project}`, guest.user.id, 10);
      await server.must('POST /groups', { token, json: { name: 'Open', path: 'open', visibility: 'public' } });
    });

    const must = (person: Person | null, query: string, variables = {}) =>
      mustGraphql(server, query, variables, { token: person?.token ?? null });

    it('lists all members of a project, or only direct ones', async () => {
      const { projectMembers } = (await must(developer, membersOf, { path: 'team/app' })).project;
      const roles = projectMembers.nodes.map(
        ({ accessLevel }: { accessLevel: { stringValue: string } }) => accessLevel.stringValue,
      );
      assert.deepEqual([roles.sort(), projectMembers.count], [['DEVELOPER', 'GUEST', 'OWNER'], 3]);
      const some = (await must(developer, membersOf, { path: 'team/app', first: 2 })).project.projectMembers;
      assert.deepEqual([some.nodes.length, some.pageInfo.hasNextPage], [2, true]);
      const direct = (await must(developer, membersOf, { path: 'team/app', relations: ['DIRECT'] })).project;
      assert.deepEqual(
        direct.projectMembers.nodes.map(({ accessLevel }: { accessLevel: object }) => accessLevel),
        [{ stringValue: 'GUEST', integerValue: 10 }],
      );
      assert.equal(direct.projectMembers.nodes[0].project.fullPath, 'team/app');
      const found = (await must(developer, membersOf, { path: 'team/app', search: 'guest' })).project.projectMembers;
      assert.equal(found.nodes.length, 1);
      for (const person of [outsider, null]) {
        assert.deepEqual(await must(person, membersOf, { path: 'team/app' }), { project: null });
      }
    });

    it('lists the members of a group', async () => {
      const query = `query ($path: ID!) {
        group(fullPath: $path) { groupMembers { nodes { user { username } ... on GroupMember { group { fullPath } } } } }
      }`;
      const { group } = await must(developer, query, { path: 'team' });
      assert.deepEqual(
        group.groupMembers.nodes.map((member: { user: { username: string } }) => member.user.username).sort(),
        [developer.user.username, owner.user.username].sort(),
      );
      assert.equal(group.groupMembers.nodes[0].group.fullPath, 'team');
      assert.deepEqual(await must(outsider, query, { path: 'team' }), { group: null });
      // Members of public groups are only visible to signed-in users.
      assert.deepEqual((await must(null, query, { path: 'open' })).group.groupMembers.nodes, []);
    });

    it('lists custom roles', async () => {
      const make = (path: string, base_access_level: number) =>
        server.must(`POST ${path}`, {
          json: { name: `Reader ${base_access_level}`, base_access_level, read_code: true },
        });
      const [role, other] = [await make('/member_roles', 10), await make('/member_roles', 15)];
      const query = `query ($path: ID!) {
        memberRoles(first: 1) { count nodes { id name description baseAccessLevel { integerValue } } }
        group(fullPath: $path) { memberRoles { edges { node { id } } } }
      }`;
      const shown = { id: `gid://gitlab/MemberRole/${role.id}`, name: 'Reader 10', description: null };
      const ids = [role, other].map(({ id }) => ({ node: { id: `gid://gitlab/MemberRole/${id}` } }));
      const byAdmin = await mustGraphql(server, query, { path: 'team' });
      assert.deepEqual(byAdmin.memberRoles, { count: 2, nodes: [{ ...shown, baseAccessLevel: { integerValue: 10 } }] });
      assert.deepEqual(byAdmin.group.memberRoles.edges, ids);
      const byOwner = await must(owner, query, { path: 'team' });
      assert.deepEqual([byOwner.memberRoles.nodes, byOwner.group.memberRoles.edges], [[], ids]);
      const byMember = await must(developer, query, { path: 'team' });
      assert.deepEqual([byMember.memberRoles.nodes, byMember.group.memberRoles.edges], [[], []]);
    });

    it('lists the namespaces and memberships of the caller', async () => {
      const { currentUser, groups } = await must(developer, places, { all: false });
      const { username, name } = developer.user;
      assert.deepEqual([currentUser.namespace.fullPath, currentUser.namespace.fullName], [username, name]);
      assert.deepEqual(currentUser.groups.nodes, [{ fullPath: 'team' }]);
      assert.deepEqual(groups.nodes, [
        { fullPath: 'team', userPermissions: { createProjects: true, createSubgroup: false } },
      ]);
      assert.deepEqual(currentUser.projectMemberships.nodes, [
        { project: { fullPath: 'team/app' }, accessLevel: { stringValue: 'DEVELOPER' }, user: { username } },
      ]);
      assert.deepEqual(currentUser.groupMemberships.nodes, [
        { group: { fullPath: 'team' }, accessLevel: { stringValue: 'DEVELOPER' } },
      ]);
      const all = await must(outsider, places, { all: true });
      assert.deepEqual(all.groups.nodes, [
        { fullPath: 'open', userPermissions: { createProjects: false, createSubgroup: false } },
      ]);
      assert.deepEqual((await must(null, places, { all: false })).currentUser, null);
    });

    it('does not reveal the memberships of other users', async () => {
      const query = `query ($name: String!) {
        user(username: $name) { username projectMemberships { nodes { id } } groupMemberships { nodes { id } } }
      }`;
      const { user } = await must(owner, query, { name: developer.user.username });
      assert.deepEqual(user, { username: developer.user.username, projectMemberships: null, groupMemberships: null });
    });
  });
});
