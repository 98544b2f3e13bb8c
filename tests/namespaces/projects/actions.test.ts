import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { addGroup, join } from './people.ts';

forEachEngine((engine) => {
  describe('project actions', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    let maintainer: Person;
    let project: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
      maintainer = await addPerson(server, 'maintainer');
      project = await addProject(server, ann, 'shown', 'public');
      await join(server, maintainer, { project_id: project.id }, 40);
    });

    describe('stars', () => {
      it('are added and removed once each', async () => {
        const starred = await server.api(`POST /projects/${project.id}/star`, bob);
        assert.deepEqual([starred.status, starred.body.star_count], [201, 1]);
        assert.equal((await server.api(`POST /projects/${project.id}/star`, bob)).status, 304);
        const [starrer] = await server.must(`GET /projects/${project.id}/starrers?search=BOB`, { token: null });
        assert.equal(starrer.user.id, bob.user.id);
        assert.match(starrer.starred_since, /^\d{4}-.*Z$/);
        assert.deepEqual(await server.must(`GET /projects/${project.id}/starrers?search=nobody`, ann), []);
        const back = await server.api(`POST /projects/${project.id}/unstar`, bob);
        assert.deepEqual([back.status, back.body.star_count], [201, 0]);
        assert.equal((await server.api(`POST /projects/${project.id}/unstar`, bob)).status, 304);
      });
      it('are counted correctly when added concurrently', async () => {
        const people = await Promise.all(Array.from({ length: 6 }, () => addPerson(server, 'fan')));
        await Promise.all(people.map((person) => server.must(`POST /projects/${project.id}/star`, person)));
        assert.equal((await server.must(`GET /projects/${project.id}`, ann)).star_count, 6);
      });
      it('are removed with the account', async () => {
        const fan = await addPerson(server, 'fan');
        const before = (await server.must(`GET /projects/${project.id}`, ann)).star_count;
        await server.must(`POST /projects/${project.id}/star`, fan);
        await server.must(`DELETE /users/${fan.user.id}`);
        assert.equal((await server.must(`GET /projects/${project.id}`, ann)).star_count, before);
      });
      it('require a signed-in user who can see the project', async () => {
        assert.equal((await server.api(`POST /projects/${project.id}/star`, { token: null })).status, 401);
        const hidden = await addProject(server, ann, 'hidden');
        assert.equal((await server.api(`POST /projects/${hidden.id}/star`, bob)).status, 404);
      });
    });

    describe('sharing', () => {
      const share = (json: object, person: Person = ann) =>
        server.api(`POST /projects/${project.id}/share`, { json, token: person.token });
      let group: { id: number; full_path: string };
      before(async () => {
        group = await addGroup(server);
        await join(server, ann, { namespace_id: group.id }, 30);
      });

      it('grants a role to the members of a group', async () => {
        const lent = await addProject(server, ann, 'lent');
        const carol = await addPerson(server, 'carol');
        await join(server, carol, { namespace_id: group.id }, 20);
        const answer = await server.api(`POST /projects/${lent.id}/share`, {
          json: { group_id: group.id, group_access: 30, expires_at: '2999-01-01' },
          token: ann.token,
        });
        assert.equal(answer.status, 201);
        const { id, ...link } = answer.body;
        assert.deepEqual(link, {
          project_id: lent.id,
          group_id: group.id,
          group_access: 30,
          expires_at: '2999-01-01',
        });
        const seen = await server.must(`GET /projects/${lent.id}`, carol);
        assert.equal(seen.permissions.group_access.access_level, 20);
        assert.deepEqual(seen.shared_with_groups, [
          {
            group_id: group.id,
            group_name: group.full_path,
            group_full_path: group.full_path,
            group_access_level: 30,
            expires_at: '2999-01-01',
          },
        ]);
        assert.equal((await server.api(`DELETE /projects/${lent.id}/share/${group.id}`, ann)).status, 204);
        assert.equal((await server.api(`GET /projects/${lent.id}`, carol)).status, 404);
        const deleted = await server.api(`DELETE /projects/${lent.id}/share/${group.id}`, ann);
        assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Group Link Not Found' }]);
      });

      it('validates its parameters', async () => {
        const access = { group_access: 30 };
        const missing = await share({ group_id: group.id });
        assert.deepEqual(missing.body, { error: 'group_access is missing' });
        const level = await share({ group_id: group.id, group_access: 11 });
        assert.deepEqual(level.body, { error: 'group_access does not have a valid value' });
        const unknown = await share({ group_id: 99_999, ...access });
        assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Group Not Found' }]);
        const past = await share({ group_id: group.id, ...access, expires_at: '2001-01-01' });
        assert.deepEqual(past.body, { message: { expires_at: ['cannot be a date in the past'] } });
        await join(server, maintainer, { namespace_id: group.id }, 10);
        const byMaintainer = await share({ group_id: group.id, ...access }, maintainer);
        assert.deepEqual([byMaintainer.status, byMaintainer.body], [404, { message: 'Not Found' }]);
        const foreign = await addGroup(server, { visibility: 'public' });
        assert.deepEqual((await share({ group_id: foreign.id, ...access })).body, { message: 'Not Found' });
        assert.equal((await share({ group_id: group.id, ...access }, bob)).status, 403);
        assert.equal((await share({ group_id: group.id, ...access })).status, 201);
        assert.equal((await share({ group_id: group.id, ...access })).status, 409);
        const byOther = await server.api(`DELETE /projects/${project.id}/share/${group.id}`, maintainer);
        assert.deepEqual([byOther.status, byOther.body], [403, { message: 'Forbidden' }]);
      });

      it('is refused by the group lock and for the ancestors of the project', async () => {
        const locked = await addGroup(server, { share_with_group_lock: true });
        const inside = await server.must('POST /projects', { json: { name: 'locked', namespace_id: locked.id } });
        const json = { group_id: group.id, group_access: 10 };
        const answer = await server.api(`POST /projects/${inside.id}/share`, { json });
        assert.deepEqual(
          [answer.status, answer.body],
          [400, { message: 'The project sharing with group is disabled' }],
        );
        const home = await addGroup(server);
        const own = await server.must('POST /projects', { json: { name: 'own', namespace_id: home.id } });
        const self = { group_id: home.id, group_access: 10 };
        assert.equal((await server.api(`POST /projects/${own.id}/share`, { json: self })).status, 409);
      });

      it('replaces an expired share', async () => {
        const { id } = await addProject(server, ann, 'lent-before');
        const request = { json: { group_id: group.id, group_access: 20 }, token: ann.token };
        await server.must(`POST /projects/${id}/share`, request);
        const ended = { expires_at: Date.now() - 1000 };
        await server.db.write((trx) =>
          trx.updateTable('project_shares').set(ended).where('project_id', '=', id).execute(),
        );
        assert.equal((await server.api(`DELETE /projects/${id}/share/${group.id}`, ann)).status, 404);
        assert.equal((await server.api(`POST /projects/${id}/share`, request)).status, 201);
      });

      it('shows shared groups only to viewers who can see them', async () => {
        const seen = await server.must(`GET /projects/${project.id}`, bob);
        assert.deepEqual(seen.shared_with_groups, []);
      });
    });

    describe('invited groups', () => {
      it('are listed by relation', async () => {
        const home = await addGroup(server, { visibility: 'public' });
        const near = await addGroup(server, { visibility: 'public' });
        const far = await addGroup(server, { visibility: 'public' });
        const hidden = await addGroup(server);
        const { id } = await server.must('POST /projects', {
          json: { name: 'inviting', namespace_id: home.id, visibility: 'public' },
        });
        for (const group of [near, hidden]) {
          await server.must(`POST /projects/${id}/share`, { json: { group_id: group.id, group_access: 20 } });
        }
        await server.must(`POST /groups/${home.id}/share`, { json: { group_id: far.id, group_access: 20 } });
        const invited = async (query: string, person: Person | null = ann) => {
          const call = `GET /projects/${id}/invited_groups?${query}`;
          const groups = await server.must(call, { token: person?.token ?? null });
          return groups.map((group: { id: number }) => group.id);
        };
        assert.deepEqual(await invited(''), [near.id, far.id]);
        assert.deepEqual(await invited('', null), [near.id, far.id]);
        assert.deepEqual(await invited('relation[]=direct'), [near.id]);
        assert.deepEqual(await invited('relation[]=inherited'), [far.id]);
        assert.deepEqual(await invited(`search=${near.full_path}`), [near.id]);
        assert.deepEqual(await invited('min_access_level=20'), []);
      });

      it("can be selected among the caller's groups", async () => {
        const { id } = await addProject(server, bob, 'sharing');
        const group = await addGroup(server);
        await join(server, bob, { namespace_id: group.id }, 10);
        const call = `GET /projects/${id}/share_locations`;
        const ids = async () => (await server.must(call, bob)).map((each: { id: number }) => each.id);
        assert.deepEqual(await ids(), [group.id]);
        await server.must(`POST /projects/${id}/share`, {
          json: { group_id: group.id, group_access: 10 },
          token: bob.token,
        });
        assert.deepEqual(await ids(), []);
        assert.equal((await server.api(call, ann)).status, 404);
      });
    });

    describe('transfer', () => {
      it('changes namespace, path and visibility of a project', async () => {
        const { id } = await addProject(server, ann, 'moving', 'public');
        const group = await addGroup(server, { visibility: 'internal' });
        await join(server, ann, { namespace_id: group.id }, 40);
        const [location] = await server.must(`GET /projects/${id}/transfer_locations?search=${group.full_path}`, ann);
        assert.equal(location.id, group.id);
        const moved = await server.api(`PUT /projects/${id}/transfer`, {
          json: { namespace: group.full_path },
          token: ann.token,
        });
        assert.equal(moved.status, 200);
        assert.deepEqual(
          [moved.body.path_with_namespace, moved.body.visibility],
          [`${group.full_path}/moving`, 'internal'],
        );
        const former = encodeURIComponent(`${ann.user.username}/moving`);
        assert.equal((await server.api(`GET /projects/${former}`, ann)).status, 301);
      });

      it('enforces its rules', async () => {
        const { id } = await addProject(server, ann, 'staying');
        const to = (namespace: unknown, person: Person = ann) =>
          server.api(`PUT /projects/${id}/transfer`, { json: { namespace }, token: person.token });
        assert.deepEqual((await to('')).body, { error: 'namespace is empty' });
        assert.deepEqual((await to('nowhere')).body, { message: '404 Namespace Not Found' });
        assert.deepEqual((await to(ann.user.username)).body, {
          message: 'Failed to transfer project {:new_namespace=>["Project is already in this namespace."]}',
        });
        const group = await addGroup(server, { visibility: 'public' });
        await join(server, ann, { namespace_id: group.id }, 30);
        assert.match((await to(group.id)).body.message, /don't have permission to transfer projects into/);
        const taken = await addGroup(server);
        await join(server, ann, { namespace_id: taken.id }, 50);
        await server.must('POST /projects', { json: { name: 'staying', namespace_id: taken.id } });
        assert.match((await to(taken.id)).body.message, /same name or path in target namespace already exists/);
        assert.equal((await to(taken.id, bob)).status, 404);
        await join(server, bob, { project_id: id }, 40);
        assert.equal((await to(taken.id, bob)).status, 403);
      });

      it('is refused for an archived project', async () => {
        const { id } = await addProject(server, ann, 'archived');
        await server.must(`POST /projects/${id}/archive`, ann);
        const answer = await server.api(`PUT /projects/${id}/transfer`, { json: { namespace: 'x' }, token: ann.token });
        assert.equal(answer.status, 403);
      });
    });

    describe('project users', () => {
      it('include inherited and invited members', async () => {
        const group = await addGroup(server, { visibility: 'public' });
        const invited = await addGroup(server, { visibility: 'public' });
        const people = await Promise.all(['one', 'two', 'three'].map((name) => addPerson(server, name)));
        const [direct, above, borrower] = people as [Person, Person, Person];
        const { id } = await server.must('POST /projects', {
          json: { name: 'crowd', namespace_id: group.id, visibility: 'public' },
        });
        await join(server, direct, { project_id: id }, 10);
        await join(server, above, { namespace_id: group.id }, 10);
        await join(server, borrower, { namespace_id: invited.id }, 10);
        await server.must(`POST /projects/${id}/share`, { json: { group_id: invited.id, group_access: 10 } });
        const users = await server.must(`GET /projects/${id}/users`, ann);
        const found = users.map((user: { id: number }) => user.id);
        for (const person of people) assert.ok(found.includes(person.user.id));
        const some = await server.must(`GET /projects/${id}/users?search=tw&skip_users[]=1`, ann);
        assert.deepEqual(
          some.map((user: { id: number }) => user.id),
          [above.user.id],
        );
        const groups = await server.must(`GET /projects/${id}/groups`, ann);
        assert.deepEqual(
          groups.map((each: { id: number }) => each.id),
          [group.id],
        );
        const both = await server.must(`GET /projects/${id}/groups?with_shared=true`, ann);
        assert.deepEqual(
          both.map((each: { id: number }) => each.id),
          [group.id, invited.id],
        );
        const hidden = await addGroup(server, { visibility: 'private' });
        await server.must(`POST /projects/${id}/share`, { json: { group_id: hidden.id, group_access: 10 } });
        for (const only of ['', '&shared_visible_only=false', '&shared_visible_only=true']) {
          const call = `GET /projects/${id}/groups?with_shared=true${only}`;
          assert.deepEqual(await server.must(call, ann), both);
          assert.equal((await server.must(call)).length, 3);
        }
        const high = await server.must(`GET /projects/${id}/groups?with_shared=true&shared_min_access_level=30`, ann);
        assert.equal(high.length, 1);
      });

      it('are imported from another project', async () => {
        const source = await addProject(server, ann, 'source');
        const target = await addProject(server, ann, 'target');
        const member = await addPerson(server, 'member');
        await join(server, member, { project_id: source.id }, 30);
        const call = `POST /projects/${target.id}/import_project_members/${source.id}`;
        const answer = await server.api(call, ann);
        assert.deepEqual([answer.status, answer.body], [201, { status: 'success' }]);
        const seen = await server.must(`GET /projects/${target.id}`, member);
        assert.equal(seen.permissions.project_access.access_level, 30);
        assert.equal((await server.api(call, ann)).status, 201);
        const hidden = await server.api(`POST /projects/${target.id}/import_project_members/99999`, ann);
        assert.deepEqual([hidden.status, hidden.body], [404, { message: '404 Project Not Found' }]);
        const foreign = await addProject(server, bob, 'foreign', 'public');
        const refused = await server.api(`POST /projects/${target.id}/import_project_members/${foreign.id}`, ann);
        assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden - Project' }]);
        assert.equal((await server.api(call, member)).status, 403);
      });

      it('are imported as Planners only by those who may grant that role', async () => {
        const target = await addProject(server, ann, 'planned');
        const importer = await addPerson(server, 'importer');
        await join(server, importer, { project_id: target.id }, 40);
        const source = await addProject(server, importer, 'source-of-planners');
        const [first, second] = [await addPerson(server, 'planner'), await addPerson(server, 'planner')];
        const level = async ({ user }: Person) =>
          (await server.must(`GET /projects/${target.id}/members/${user.id}`, ann)).access_level;
        await join(server, first, { project_id: source.id }, 15);
        await server.must(`POST /projects/${target.id}/import_project_members/${source.id}`, importer);
        assert.equal(await level(first), 10);
        await join(server, second, { project_id: source.id }, 15);
        await join(server, ann, { project_id: source.id }, 40);
        await server.must(`POST /projects/${target.id}/import_project_members/${source.id}`, ann);
        assert.equal(await level(second), 15);
      });

      it('replace expired memberships and resolve access requests when imported', async () => {
        const source = await addProject(server, ann, 'source-of-former');
        const target = await addProject(server, ann, 'target-of-former', 'public');
        const former = await addPerson(server, 'former');
        const asking = await addPerson(server, 'asking');
        for (const person of [former, asking]) await join(server, person, { project_id: source.id }, 30);
        await server.must(`POST /projects/${target.id}/access_requests`, asking);
        await join(server, former, { project_id: target.id }, 20);
        const ended = { expires_at: Date.now() - 1000 };
        await server.db.write((trx) =>
          trx
            .updateTable('members')
            .set(ended)
            .where('project_id', '=', target.id)
            .where('access_level', '=', 20)
            .execute(),
        );
        await server.must(`POST /projects/${target.id}/import_project_members/${source.id}`, ann);
        const member = await server.must(`GET /projects/${target.id}/members/${former.user.id}`, ann);
        assert.deepEqual([member.access_level, member.expires_at], [30, null]);
        assert.deepEqual(await server.must(`GET /projects/${target.id}/access_requests`, ann), []);
      });
    });
  });
});
