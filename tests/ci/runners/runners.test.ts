import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { contactStatus, runnerStatus } from '../../../src/ci/runners/status.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = 1_000 * day;

describe('runner status', () => {
  for (const [created, contacted, paused, expected] of [
    [now - day, null, 0, 'never_contacted'],
    [now - day, null, 1, 'never_contacted'],
    [now - 8 * day, null, 0, 'stale'],
    [now - 8 * day, now - 7 * day, 1, 'stale'],
    [now - 8 * day, now - hour, 0, 'online'],
    [now - 8 * day, now - hour, 1, 'paused'],
    [now - 8 * day, now - 2 * hour, 0, 'offline'],
    [now - 8 * day, now - 3 * hour, 1, 'paused'],
  ] as const) {
    it(`created ${(now - created) / day} days ago, contacted at ${contacted}, paused ${paused} is ${expected}`, () => {
      assert.equal(runnerStatus({ created_at: created, contacted_at: contacted, paused }, now), expected);
    });
  }

  it('of a runner manager is never paused', () => {
    assert.equal(contactStatus({ created_at: now, contacted_at: now - hour }, now), 'online');
  });
});

forEachEngine((engine) => {
  describe('runners', () => {
    let server: TestServer;
    let maintainer: Person;
    let developer: Person;
    let outsider: Person;
    let project: Project;

    const make = (json: Record<string, unknown>, person?: Person) =>
      server.api('POST /user/runners', { json, ...(person && { token: person.token }) });
    const says = ({ status, body }: Answer) => [status, body.message];
    const ids = (body: { id: number }[]) => body.map(({ id }) => id);

    before(async () => {
      server = await startTestServer(engine);
      const owner = await addPerson(server, 'owner');
      maintainer = await addPerson(server, 'maintainer');
      developer = await addPerson(server, 'developer');
      outsider = await addPerson(server, 'outsider');
      project = await addProject(server, owner, 'built');
      await addMember(server, project, maintainer, Role.maintainer);
      await addMember(server, project, developer, Role.developer);
    });

    it('are created by users who manage the project, group or instance', async () => {
      const instance = await make({ runner_type: 'instance_type' });
      assert.equal(instance.status, 201);
      assert.match(instance.body.token, /^glrt-t1_/);
      const wanted = { runner_type: 'project_type', project_id: project.id, tag_list: 'linux,fast' };
      assert.match((await make(wanted, maintainer)).body.token, /^glrt-t3_/);
      for (const [json, person, status] of [
        [{ runner_type: 'instance_type' }, maintainer, 403],
        [wanted, developer, 403],
        [wanted, outsider, 404],
        [{ runner_type: 'project_type' }, maintainer, 400],
        [{ ...wanted, tag_list: '', run_untagged: false }, maintainer, 400],
        [{ ...wanted, maximum_timeout: 10 }, maintainer, 400],
        [{ runner_type: 'robot' }, maintainer, 400],
      ] as const) {
        assert.equal((await make(json, person)).status, status, JSON.stringify(json));
      }
      assert.equal((await server.api('POST /user/runners', { token: null, json: wanted })).status, 401);
      const brief = await make({ ...wanted, maximum_timeout: 10 }, maintainer);
      assert.equal(brief.body.message, '400 Bad request - Maximum timeout needs to be at least 10 minutes');
    });

    it('reject invalid version prefixes and answer 404 for unknown IDs', async () => {
      const odd = await server.api('GET /runners/all?version_prefix=x');
      assert.deepEqual([odd.status, odd.body], [400, { error: 'version_prefix is invalid' }]);
      assert.equal((await server.api('GET /runners/all?version_prefix=17.')).status, 200);
      assert.deepEqual((await server.api('GET /runners/999999')).body, { message: '404 Not found' });
    });

    it('are not deleted if they changed since the specified time', async () => {
      const { id } = (await make({ runner_type: 'instance_type' })).body;
      const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
      assert.equal((await server.api(`DELETE /runners/${id}`, { headers })).status, 412);
      assert.equal((await server.api(`DELETE /runners/${id}`)).status, 204);
    });

    it('authenticate with their token and are tracked per manager', async () => {
      const { id, token } = (await make({ runner_type: 'instance_type', description: 'shared' })).body;
      const fresh = await server.must(`GET /runners/${id}`, { token: outsider.token });
      assert.deepEqual([fresh.status, fresh.online, fresh.contacted_at], ['never_contacted', null, null]);
      const info = { version: '17.9.0', platform: 'linux', architecture: 'amd64', features: { cancelable: true } };
      const verify = (json: Record<string, unknown>) => server.api('POST /runners/verify', { token: null, json });
      const verified = await verify({ token, system_id: 's_0123456789ab', info });
      assert.deepEqual([verified.status, verified.body], [200, { id, token, token_expires_at: null }]);
      assert.deepEqual((await verify({ token: 'glrt-wrong' })).body, { message: '403 Forbidden' });
      // Without details, as sent by a script that only checks the token.
      await verify({ token, system_id: 's_0123456789ab' });
      await verify({ token, system_id: 's_other' });
      const long = await verify({ token, system_id: 's'.repeat(65) });
      const tooLong = { message: { system_id: ['is too long (maximum is 64 characters)'] } };
      assert.deepEqual([long.status, long.body], [400, tooLong]);
      const [latest, first] = await server.must(`GET /runners/${id}/managers`);
      assert.deepEqual([latest.system_id, first.system_id, first.version], ['s_other', 's_0123456789ab', '17.9.0']);
      assert.deepEqual([first.platform, first.architecture], ['linux', 'amd64']);
      const seen = await server.must(`GET /runners/${id}`);
      assert.deepEqual([seen.status, seen.online, seen.job_execution_status], ['online', true, 'idle']);
      const remove = (json: Record<string, unknown>) => server.api('DELETE /runners/managers', { token: null, json });
      assert.deepEqual((await remove({ token })).body, { error: 'system_id is missing' });
      assert.equal((await remove({ token, system_id: 's_other' })).status, 204);
      assert.equal((await remove({ token, system_id: 's_other' })).status, 404);
      const renewed = await server.api('POST /runners/reset_authentication_token', { token: null, json: { token } });
      assert.equal(renewed.status, 201);
      assert.equal((await verify({ token })).status, 403);
      const last = { token: renewed.body.token };
      assert.equal((await server.api('DELETE /runners', { token: null, json: last })).status, 204);
      assert.equal((await server.api(`GET /runners/${id}`)).status, 404);
    });

    it('are updated, paused and deleted by Maintainers', async () => {
      const { id } = (await make({ runner_type: 'project_type', project_id: project.id }, maintainer)).body;
      const change = (json: Record<string, unknown>, person = maintainer) =>
        server.api(`PUT /runners/${id}`, { token: person.token, json });
      const changed = await change({ paused: true, tag_list: ['b', 'a'], maintenance_note: 'weekly' });
      assert.deepEqual(
        [changed.body.paused, changed.body.active, changed.body.tag_list, changed.body.maintenance_note],
        [true, false, ['b', 'a'], 'weekly'],
      );
      assert.deepEqual(ids(changed.body.projects), [project.id]);
      assert.equal((await change({ active: true })).body.paused, false);
      assert.equal((await change({ maximum_timeout: 600 })).body.maximum_timeout, 600);
      assert.deepEqual(says(await change({ maximum_timeout: 599 })), [
        400,
        { maximum_timeout: ['needs to be at least 10 minutes'] },
      ]);
      const freed = (await change({ maximum_timeout: null, maintenance_note: null })).body;
      assert.deepEqual([freed.maximum_timeout, freed.maintenance_note], [null, null]);
      assert.equal((await change({})).status, 400);
      assert.equal((await change({ active: true, paused: true })).status, 400);
      assert.equal((await change({ maintenance_note: 'x'.repeat(1025) })).status, 400);
      assert.equal((await change({ paused: true }, developer)).status, 403);
      const remove = (person: Person) => server.api(`DELETE /runners/${id}`, { token: person.token });
      assert.equal((await remove(outsider)).status, 403);
      assert.equal((await remove(maintainer)).status, 204);
    });

    it('are listed by project, by owner and for the instance, with filters', async () => {
      const made = await make(
        { runner_type: 'project_type', project_id: project.id, tag_list: 'special', paused: true },
        maintainer,
      );
      const { id } = made.body;
      const list = async (path: string, person?: Person) =>
        ids(await server.must(`GET ${path}`, person && { token: person.token }));
      assert.ok((await list('/runners', maintainer)).includes(id));
      assert.deepEqual(await list('/runners', developer), []);
      assert.deepEqual(await list('/runners/all?tag_list=special'), [id]);
      assert.deepEqual(await list('/runners/all?tag_list=special,linux'), []);
      assert.ok((await list('/runners/all?paused=true')).includes(id));
      assert.ok(!(await list('/runners/all?status=active')).includes(id));
      assert.deepEqual(await list('/runners/all?version_prefix=99'), []);
      assert.ok((await list(`/projects/${project.id}/runners?type=project_type`, maintainer)).includes(id));
      assert.equal((await server.api(`GET /projects/${project.id}/runners`, { token: developer.token })).status, 403);
      assert.equal((await server.api('GET /runners/all', { token: maintainer.token })).status, 403);
      const wrong = await server.api('GET /runners?type=robot');
      assert.deepEqual([wrong.status, wrong.body], [400, { error: 'type does not have a valid value' }]);
    });

    it('register with the registration token of a project or group', async () => {
      const register = (json: Record<string, unknown>) => server.api('POST /runners', { token: null, json });
      const { runners_token } = await server.must(`GET /projects/${project.id}`);
      const registered = await register({ token: runners_token, description: 'old', tag_list: 'a,b', locked: true });
      assert.equal(registered.status, 201);
      assert.match(registered.body.token, /^glrtr-/);
      const runner = await server.must(`GET /runners/${registered.body.id}`);
      assert.deepEqual([runner.runner_type, runner.tag_list, runner.locked], ['project_type', ['a', 'b'], true]);
      const { id } = await server.must('POST /groups?name=Builders&path=builders');
      const group = await server.must(`GET /groups/${id}`);
      const ofGroup = await register({ token: group.runners_token });
      assert.equal((await server.must(`GET /runners/${ofGroup.body.id}`)).runner_type, 'group_type');
      const wrong = await register({ token: 'GR1348941wrong' });
      assert.deepEqual([wrong.status, wrong.body], [403, { message: '403 Forbidden - invalid token supplied' }]);
      assert.equal((await register({ token: runners_token, active: true, paused: true })).status, 400);
      assert.deepEqual(says(await register({ token: runners_token, run_untagged: false })), [
        400,
        { tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'] },
      ]);
    });

    it('only register with the current registration token', async () => {
      const register = async (token: string) =>
        (await server.api('POST /runners', { token: null, json: { token } })).status;
      const { runners_token: before } = await server.must(`GET /projects/${project.id}`);
      const path = `POST /projects/${project.id}/runners/reset_registration_token`;
      const statuses = async (call: string) =>
        Promise.all([developer.token, null].map(async (token) => (await server.api(call, { token })).status));
      assert.deepEqual(await statuses(path), [403, 401]);
      const made = await server.api(path, { token: maintainer.token });
      assert.equal(made.status, 201);
      assert.match(made.body.token, /^GR1348941/);
      assert.deepEqual([await register(before), await register(made.body.token)], [403, 201]);
      assert.equal((await server.must(`GET /projects/${project.id}`)).runners_token, made.body.token);

      const group = await server.must('POST /groups?name=Again&path=again');
      const old = (await server.must(`GET /groups/${group.id}`)).runners_token;
      const ofGroup = `POST /groups/${group.id}/runners/reset_registration_token`;
      assert.deepEqual(await statuses(ofGroup), [404, 401]);
      const { token } = await server.must(ofGroup);
      assert.deepEqual([await register(old), await register(token)], [403, 201]);

      assert.deepEqual(await statuses('POST /runners/reset_registration_token'), [403, 401]);
      const first = await server.must('POST /runners/reset_registration_token');
      const second = await server.must('POST /runners/reset_registration_token');
      assert.equal(await register(first.token), 403);
      const runner = await server.must('POST /runners', { token: null, json: { token: second.token } });
      assert.equal((await server.must(`GET /runners/${runner.id}`)).runner_type, 'instance_type');
      await server.must('PUT /application/settings', { json: { allow_runner_registration_token: false } });
      assert.equal((await server.api('POST /runners/reset_registration_token')).status, 403);
      assert.equal(await register(second.token), 410);
      await server.must('PUT /application/settings', { json: { allow_runner_registration_token: true } });
    });

    it('of a group can be read by Maintainers of its projects but only changed by group Owners', async () => {
      const group = await server.must('POST /groups?name=Above&path=above');
      const inside = await server.must('POST /projects', { json: { name: 'inside', namespace_id: group.id } });
      const member = { user_id: maintainer.user.id, access_level: Role.maintainer };
      const json = { runner_type: 'group_type', group_id: group.id };
      const { id } = await server.must('POST /user/runners', { json });
      const status = async (call: string, sending = {}) =>
        (await server.api(call, { token: maintainer.token, ...sending })).status;
      assert.equal(await status(`GET /runners/${id}`), 403);
      await server.must(`POST /projects/${inside.id}/members`, { json: member });
      assert.deepEqual([await status(`GET /runners/${id}`), await status(`GET /runners/${id}/managers`)], [200, 200]);
      assert.equal(await status(`PUT /runners/${id}`, { json: { paused: true } }), 403);
      assert.equal(await status(`DELETE /runners/${id}`), 403);
    });

    it('list their projects to users who can see both', async () => {
      const json = { runner_type: 'project_type', project_id: project.id };
      const { id } = await server.must('POST /user/runners', { token: maintainer.token, json });
      const listed = await server.api(`GET /runners/${id}/projects`, { token: maintainer.token });
      assert.deepEqual([listed.status, listed.headers.get('x-total')], [200, '1']);
      assert.deepEqual(
        listed.body.map((one: { id: number; path: string }) => [one.id, one.path]),
        [[project.id, project.path]],
      );
      assert.equal((await server.api(`GET /runners/${id}/projects`, { token: developer.token })).status, 403);
      assert.equal((await server.api('GET /runners/999999/projects')).status, 404);
      assert.equal((await server.api(`GET /runners/${id}/projects`, { token: null })).status, 401);
    });

    it('can be assigned to other projects unless locked', async () => {
      const other = await addProject(server, maintainer, 'other');
      const { id } = (await make({ runner_type: 'project_type', project_id: project.id }, maintainer)).body;
      const path = `/projects/${other.id}/runners`;
      const enable = () => server.api(`POST ${path}`, { token: maintainer.token, json: { runner_id: id } });
      assert.equal((await enable()).status, 201);
      assert.equal((await enable()).status, 400);
      const refused = await server.api(`DELETE /runners/${id}`, { token: maintainer.token });
      assert.deepEqual(refused.body, { message: '403 Forbidden - Runner associated with more than one project' });
      const disable = (from: Project) =>
        server.api(`DELETE /projects/${from.id}/runners/${id}`, { token: maintainer.token });
      assert.equal((await disable(project)).status, 403);
      assert.equal((await disable(other)).status, 204);
      assert.equal((await disable(other)).status, 404);
      await server.must(`PUT /runners/${id}?locked=true`, { token: maintainer.token });
      assert.deepEqual((await enable()).body, { message: '403 Forbidden - Runner is locked' });
    });
  });
});
