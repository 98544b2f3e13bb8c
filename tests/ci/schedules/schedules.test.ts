import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import type { Answer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('pipeline schedules', () => {
    let place: ProjectWithRoles;
    let maintainer: Person;
    let id: number;
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const at = (rest = '') => `${place.base}/pipeline_schedules${rest}`;
    const nightly = { description: 'nightly', ref: 'main', cron: '0 1 * * *', cron_timezone: 'Europe/Berlin' };
    const set = (change: object) =>
      place.server.db.write((trx) => trx.updateTable('pipeline_schedules').set(change).where('id', '=', id).execute());
    const jobDue = (name: string) =>
      place.server.db.write((trx) =>
        trx.updateTable('recurring_jobs').set({ next_run_at: 1 }).where('name', '=', name).execute(),
      );

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': 'build: {script: make}\n' }, 'root');
      await source.git('branch', 'open');
      place = await projectWithRoles(engine, 'scheduled', source);
      maintainer = await addPerson(place.server, 'maintainer');
      await addMember(place.server, place.project, maintainer, 40);
    });

    it('are created, shown and updated', async () => {
      const { asOwner, asDeveloper, server } = place;
      const created = await asOwner(`POST ${at()}`, { json: nightly });
      assert.equal(created.status, 201);
      id = created.body.id;
      assert.deepEqual(Object.keys(created.body), [
        ...['id', 'description', 'ref', 'cron', 'cron_timezone', 'next_run_at', 'active', 'created_at', 'updated_at'],
        ...['owner', 'last_pipeline'],
      ]);
      assert.equal(created.body.ref, 'refs/heads/main');
      assert.match(created.body.next_run_at, /T0[0-9]:00:00\.000Z$|T23:00:00\.000Z$/);
      const shown = await asOwner(`GET ${at(`/${id}`)}`);
      assert.deepEqual([shown.body.inputs, shown.body.variables, shown.body.last_pipeline], [[], [], null]);
      const byOther = await asDeveloper(`GET ${at(`/${id}`)}`);
      assert.deepEqual([byOther.status, byOther.body.variables, byOther.body.inputs], [200, undefined, undefined]);
      const changed = await asOwner(`PUT ${at(`/${id}`)}`, { json: { cron: '30 2 * * *', active: false } });
      assert.deepEqual([changed.status, changed.body.cron, changed.body.active], [200, '30 2 * * *', false]);
      assert.deepEqual((await asOwner(`GET ${at('?scope=active')}`)).body, []);
      assert.equal((await asOwner(`GET ${at('?scope=inactive')}`)).body.length, 1);
      const reader = await server.api(`GET ${at()}`, { token: place.reporter.token });
      assert.equal(reader.status, 200);
      assert.equal((await server.api(`GET ${at()}`, { token: null })).status, 401);
    });

    it('reject invalid schedules and unauthorized users', async () => {
      const { asOwner, asDeveloper, server } = place;
      const post = async (change: object) => says(await asOwner(`POST ${at()}`, { json: { ...nightly, ...change } }));
      assert.deepEqual(await post({ cron: 'often' }), [400, { cron: ['syntax is invalid'] }]);
      assert.deepEqual(await post({ cron_timezone: 'Nowhere' }), [400, { cron_timezone: ['syntax is invalid'] }]);
      assert.deepEqual(await post({ ref: 'none' }), [400, { ref: ['is ambiguous'] }]);
      assert.deepEqual(await post({ description: ' ' }), [400, { description: ["can't be blank"] }]);
      const missing = await asOwner(`POST ${at()}`, { json: { ref: 'main' } });
      assert.deepEqual(says(missing), [400, 'description is missing, cron is missing']);
      // The default branch is protected, and only Maintainers can push to it.
      assert.deepEqual(says(await asDeveloper(`POST ${at()}`, { json: nightly })), [
        400,
        { base: ['The current user is not authorized to create the pipeline schedule'] },
      ]);
      assert.equal((await server.api(`POST ${at()}`, { token: place.reporter.token, json: nightly })).status, 403);
      assert.deepEqual(says(await asOwner(`GET ${at('/999')}`)), [404, '404 Pipeline Schedule Not Found']);
      const change = { token: maintainer.token, json: { active: true } };
      assert.equal((await server.api(`PUT ${at(`/${id}`)}`, change)).status, 403);
      for (let more = 0; more < 9; more++) assert.equal((await asOwner(`POST ${at()}`, { json: nightly })).status, 201);
      assert.deepEqual(await post({}), [400, { base: ['Maximum number of pipeline schedules (10) exceeded'] }]);
      const { body } = await asOwner(`GET ${at()}`);
      for (const { id: other } of body.slice(1)) {
        assert.equal((await asOwner(`DELETE ${at(`/${other}`)}`)).status, 204);
      }
    });

    it('have variables', async () => {
      const { asOwner, asDeveloper } = place;
      const variables = at(`/${id}/variables`);
      const created = await asOwner(`POST ${variables}`, { json: { key: 'MODE', value: 'night' } });
      const expected = { variable_type: 'env_var', key: 'MODE', value: 'night', raw: false };
      assert.deepEqual([created.status, created.body], [201, expected]);
      const again = await asOwner(`POST ${variables}`, { json: { key: 'MODE', value: 'x' } });
      assert.deepEqual(says(again), [400, { key: ['has already been taken'] }]);
      const changed = await asOwner(`PUT ${variables}/MODE`, { json: { value: 'day', variable_type: 'file' } });
      assert.deepEqual(changed.body, { ...expected, value: 'day', variable_type: 'file' });
      assert.deepEqual((await asOwner(`GET ${at(`/${id}`)}`)).body.variables, [changed.body]);
      assert.deepEqual((await asOwner(`GET ${variables}/MODE`)).body, changed.body);
      assert.equal((await asDeveloper(`GET ${variables}/MODE`)).status, 403);
      assert.equal((await asDeveloper(`POST ${variables}`, { json: { key: 'A', value: 'b' } })).status, 403);
      assert.deepEqual(says(await asOwner(`GET ${variables}/NONE`)), [404, '404 Pipeline Schedule Variable Not Found']);
      const other = await asOwner(`POST ${variables}`, { json: { key: 'GONE', value: '' } });
      const deleted = await asOwner(`DELETE ${variables}/GONE`);
      assert.deepEqual([deleted.status, deleted.body], [202, other.body]);
    });

    it('run once when due and when played', async () => {
      const { asOwner, server } = place;
      await asOwner(`PUT ${at(`/${id}`)}`, { json: { active: true } });
      const { queue } = server.running.services;
      await set({ next_run_at: 1 });
      await jobDue('schedules.start-due');
      await queue.drain();
      const pipelines = async () => (await asOwner(`GET ${at(`/${id}/pipelines`)}`)).body;
      const [first, second] = await pipelines();
      assert.deepEqual([first.source, first.ref, second], ['schedule', 'main', undefined]);
      const after = await asOwner(`GET ${at(`/${id}`)}`);
      assert.equal(after.body.last_pipeline.id, first.id);
      assert.ok(Date.parse(after.body.next_run_at) > Date.now());
      const variables = await asOwner(`GET ${place.base}/pipelines/${first.id}/variables`);
      assert.deepEqual(variables.body, [{ variable_type: 'file', key: 'MODE', value: 'day', raw: false }]);
      await jobDue('schedules.start-due');
      await queue.drain();
      assert.equal((await pipelines()).length, 1);
      const played = await server.api(`POST ${at(`/${id}/play`)}`, { token: maintainer.token });
      assert.deepEqual([played.status, played.body], [201, { message: '201 Created' }]);
      await queue.drain();
      assert.equal((await pipelines()).length, 2);
      assert.equal((await place.asDeveloper(`POST ${at(`/${id}/play`)}`)).status, 403);
    });

    it('can be taken over, and are deactivated when their owner is blocked', async () => {
      const { asOwner, server } = place;
      const take = () => server.api(`POST ${at(`/${id}/take_ownership`)}`, { token: maintainer.token });
      const taken = await take();
      assert.deepEqual([taken.status, taken.body.owner.id], [201, maintainer.user.id]);
      assert.equal((await take()).status, 200);
      assert.equal((await place.asDeveloper(`POST ${at(`/${id}/take_ownership`)}`)).status, 403);
      await server.db.write((trx) =>
        trx.updateTable('users').set({ state: 'blocked' }).where('id', '=', maintainer.user.id).execute(),
      );
      await set({ next_run_at: 1 });
      await jobDue('schedules.start-due');
      await server.running.services.queue.drain();
      assert.equal((await asOwner(`GET ${at(`/${id}/pipelines`)}`)).body.length, 2);
      assert.equal((await asOwner(`GET ${at(`/${id}`)}`)).body.active, false);
    });
  });
});
