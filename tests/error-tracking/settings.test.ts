import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import type { Project } from '../../src/access/tables.ts';
import { atOnce, inRounds, statuses } from '../support/at-once.ts';
import { forEachEngine } from '../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../support/scene.ts';
import type { TestServer } from '../support/server.ts';
import { startTracking } from './tracking.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let maintainer: Person;
  let developer: Person;
  let outsider: Person;
  let count = 0;

  before(async () => {
    server = await startTracking(engine);
    [owner, maintainer, developer, outsider] = await Promise.all([
      addPerson(server, 'owner'),
      addPerson(server, 'maintainer'),
      addPerson(server, 'developer'),
      addPerson(server, 'outsider'),
    ]);
  });

  async function newProject(visibility: 'private' | 'public' = 'private'): Promise<Project> {
    count += 1;
    const project = await addProject(server, owner, `p-${count}`, visibility);
    await addMember(server, project, maintainer, Role.maintainer);
    await addMember(server, project, developer, Role.developer);
    return project;
  }
  const settings = ({ id }: Project) => `/projects/${id}/error_tracking/settings`;
  const keys = ({ id }: Project) => `/projects/${id}/error_tracking/client_keys`;
  const on = { active: true, integrated: true, project_name: null, sentry_external_url: null, api_url: null };

  describe('error tracking settings', () => {
    it('do not exist by default', async () => {
      const project = await newProject();
      for (const call of [`GET ${settings(project)}`, `PATCH ${settings(project)}?active=true`]) {
        const answer = await server.api(call, { token: maintainer.token });
        assert.deepEqual([answer.status, answer.body], [404, { message: '404 Error Tracking Setting Not Found' }]);
      }
    });

    it('are created, updated and read by project ID or path', async () => {
      const project = await newProject();
      const { token } = maintainer;
      assert.deepEqual(await server.must(`PUT ${settings(project)}?active=true&integrated=1`, { token }), on);
      const path = encodeURIComponent(`${owner.user.username}/${project.path}`);
      assert.deepEqual(await server.must(`GET /projects/${path}/error_tracking/settings`, { token }), on);
      assert.deepEqual(await server.must(`PATCH ${settings(project)}`, { token, json: { active: false } }), {
        ...on,
        active: false,
      });
      assert.deepEqual(
        await server.must(`PATCH ${settings(project)}`, { token, form: 'active=false&integrated=false' }),
        { ...on, active: false, integrated: false },
      );
    });

    it('create the first client key when enabled', async () => {
      const project = await newProject();
      const json = { active: true, integrated: true };
      await server.must(`PUT ${settings(project)}`, { json: { ...json, active: false } });
      assert.deepEqual(await server.must(`GET ${keys(project)}`), []);
      await server.must(`PUT ${settings(project)}`, { json });
      const [first] = await server.must(`GET ${keys(project)}`);
      await server.must(`PATCH ${settings(project)}`, { json: { active: false } });
      await server.must(`PATCH ${settings(project)}`, { json: { active: true } });
      assert.deepEqual(await server.must(`GET ${keys(project)}`), [first]);
    });

    it('report validation errors', async () => {
      const project = await newProject();
      const wrong: [string, string][] = [
        ['', 'active is missing, active is empty, integrated is missing'],
        ['active=true', 'integrated is missing'],
        ['active=&integrated=true', 'active is empty'],
        ['active=x&integrated=true', 'active is invalid'],
        ['active=true&integrated=x', 'integrated is invalid'],
      ];
      for (const [form, error] of wrong) {
        const answer = await server.api(`PUT ${settings(project)}`, { form });
        assert.deepEqual([answer.status, answer.body], [400, { error }], form);
      }
      const external = await server.api(`PUT ${settings(project)}`, { json: { active: true, integrated: false } });
      assert.equal(external.status, 400);
    });
  });

  describe('client keys', () => {
    it('have a DSN accepted by SDKs', async () => {
      const project = await newProject();
      const key = await server.must(`POST ${keys(project)}`, { token: maintainer.token });
      assert.deepEqual(Object.keys(key), ['id', 'active', 'public_key', 'sentry_dsn']);
      assert.match(key.public_key, /^glet_[0-9a-f]{32}$/);
      const { host } = new URL(server.url);
      assert.equal(key.sentry_dsn, `http://${key.public_key}@${host}/errortracking/api/v1/projects/${project.id}`);
      const answer = await server.api(`GET ${keys(project)}`, { token: maintainer.token });
      assert.deepEqual([answer.body, answer.headers.get('x-total')], [[key], '1']);
    });

    it('are rotated and deleted within their project only', async () => {
      const [project, other] = [await newProject(), await newProject()];
      const { id } = await server.must(`POST ${keys(project)}`);
      for (const call of [`DELETE ${keys(other)}/${id}`, `POST ${keys(other)}/${id}/rotate`]) {
        const answer = await server.api(call);
        assert.deepEqual([answer.status, answer.body], [404, { message: '404 Not found' }], call);
      }
      const rotated = await server.api(`POST ${keys(project)}/${id}/rotate`);
      assert.equal(rotated.status, 200);
      assert.deepEqual(await server.must(`GET ${keys(project)}`), [rotated.body]);
      const deleted = await server.api(`DELETE ${keys(project)}/${rotated.body.id}`);
      assert.deepEqual([deleted.status, deleted.text], [204, '']);
      assert.equal((await server.api(`DELETE ${keys(project)}/${rotated.body.id}`)).status, 404);
      assert.equal((await server.api(`DELETE ${keys(project)}/x`)).status, 400);
    });

    it('are limited to fifty, also for concurrent requests', async () => {
      await inRounds(async () => {
        const project = await newProject();
        const answers = await atOnce(54, () => server.api(`POST ${keys(project)}`));
        assert.deepEqual(statuses(answers), { 201: 50, 422: 4 });
      }, 1);
    });
  });

  it('requires maintainers', async () => {
    const project = await newProject('public');
    const hidden = await newProject();
    const calls = [
      'GET settings',
      'PUT settings?active=true&integrated=true',
      'PATCH settings?active=true',
      'GET client_keys',
      'POST client_keys',
      'DELETE client_keys/1',
      'POST client_keys/1/rotate',
    ];
    for (const call of calls) {
      const [method, path] = call.split(' ');
      const ask = (of: Project, token: string | null) =>
        server.api(`${method} /projects/${of.id}/error_tracking/${path}`, { token });
      assert.equal((await ask(project, null)).status, 401, call);
      assert.equal((await ask(project, outsider.token)).status, 403, call);
      assert.equal((await ask(project, developer.token)).status, 403, call);
      assert.equal((await ask(hidden, outsider.token)).status, 404, call);
    }
  });
});
