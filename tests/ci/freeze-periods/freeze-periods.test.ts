import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import type { Answer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

const configuration = `
workflow: {rules: [{if: '$CI_DEPLOY_FREEZE == "true"', variables: {MODE: frozen}}, {when: always}]}
build: {script: 'echo $MODE'}
deploy: {script: make, rules: [{if: '$CI_DEPLOY_FREEZE', when: never}, {when: always}]}
`;
const weekend = { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1', cron_timezone: 'Europe/Berlin' };
/** The end never occurs: there is no 31st of February. */
const always = { freeze_start: '* * * * *', freeze_end: '0 0 31 2 *' };

forEachEngine((engine) => {
  describe('freeze periods', () => {
    let fixture: ProjectWithRoles;
    let maintainer: Person;
    let runner: RunnerClient;
    const statusAndMessage = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const at = (rest = '') => `${fixture.base}/freeze_periods${rest}`;
    const asMaintainer = (call: string, json?: object) =>
      fixture.server.api(call, { token: maintainer.token, ...(json && { json }) });

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      fixture = await projectWithRoles(engine, 'frozen', source);
      maintainer = await addPerson(fixture.server, 'maintainer');
      await addMember(fixture.server, fixture.project, maintainer, 40);
      const runnerOptions = { runner_type: 'project_type', project_id: fixture.project.id };
      runner = await RunnerClient.create(fixture.server, runnerOptions, fixture.owner.token);
    });

    it('creates, lists, updates and deletes freeze periods', async () => {
      const { status, body } = await asMaintainer(`POST ${at()}`, weekend);
      assert.equal(status, 201);
      assert.deepEqual(Object.keys(body), ['id', ...Object.keys(weekend), 'created_at', 'updated_at']);
      assert.deepEqual({ ...body, ...weekend }, body);
      const second = await asMaintainer(`POST ${at()}`, { freeze_start: '@daily', freeze_end: '@noon' });
      assert.deepEqual([second.status, second.body.cron_timezone], [201, 'UTC']);
      const asReporter = { token: fixture.reporter.token };
      const list = await fixture.server.api(`GET ${at('?per_page=1')}`, asReporter);
      assert.deepEqual([list.body, list.headers.get('x-total')], [[body], '2']);
      assert.deepEqual((await fixture.server.api(`GET ${at(`/${body.id}`)}`, asReporter)).body, body);
      const changed = await asMaintainer(`PUT ${at(`/${body.id}`)}`, { freeze_end: '0 8 * * 1' });
      assert.equal(changed.status, 200);
      assert.deepEqual({ ...changed.body, updated_at: '' }, { ...body, freeze_end: '0 8 * * 1', updated_at: '' });
      for (const id of [body.id, second.body.id]) {
        assert.equal((await asMaintainer(`DELETE ${at(`/${id}`)}`)).status, 204);
        assert.deepEqual(statusAndMessage(await asMaintainer(`DELETE ${at(`/${id}`)}`)), [
          404,
          '404 Freeze Period Not Found',
        ]);
      }
    });

    it('rejects invalid schedules and callers without permission', async () => {
      const { server } = fixture;
      const post = async (change: object) =>
        statusAndMessage(await asMaintainer(`POST ${at()}`, { ...weekend, ...change }));
      assert.deepEqual(await post({ freeze_start: 'soon' }), [400, { freeze_start: ['syntax is invalid'] }]);
      assert.deepEqual(await post({ freeze_end: '' }), [400, { freeze_end: ["can't be blank"] }]);
      assert.deepEqual(await post({ freeze_end: '*'.repeat(9999) }), [400, { freeze_end: ['syntax is invalid'] }]);
      assert.deepEqual(await post({ cron_timezone: 'Nowhere' }), [400, { cron_timezone: ['syntax is invalid'] }]);
      assert.deepEqual(statusAndMessage(await asMaintainer(`POST ${at()}`, {})), [
        400,
        'freeze_start is missing, freeze_end is missing',
      ]);
      const { body } = await asMaintainer(`POST ${at()}`, weekend);
      const one = at(`/${body.id}`);
      assert.deepEqual(statusAndMessage(await asMaintainer(`PUT ${one}`, { freeze_start: 'x' })), [
        400,
        { freeze_start: ['syntax is invalid'] },
      ]);
      const calls = [`GET ${at()}`, `GET ${one}`, `POST ${at()}`, `PUT ${one}`, `DELETE ${one}`];
      const outsider = await addPerson(server, 'outsider');
      const expected: [string | null, number[]][] = [
        [null, [401, 401, 401, 401, 401]],
        ['wrong', [401, 401, 401, 401, 401]],
        [outsider.token, [404, 404, 404, 404, 404]],
        [fixture.guest.token, [403, 403, 403, 403, 403]],
        [fixture.reporter.token, [200, 200, 403, 403, 403]],
        [fixture.developer.token, [200, 200, 403, 403, 403]],
      ];
      for (const [token, answers] of expected) {
        const statuses: number[] = [];
        for (const call of calls) {
          const sent = /^P/.test(call) ? { token, json: weekend } : { token };
          statuses.push((await server.api(call, sent)).status);
        }
        assert.deepEqual(statuses, answers, String(token));
      }
      const other = await addProject(server, maintainer, 'other');
      const elsewhere = await asMaintainer(`GET /projects/${other.id}/freeze_periods/${body.id}`);
      assert.equal(elsewhere.status, 404);
      assert.equal((await asMaintainer(`DELETE ${one}`)).status, 204);
    });

    it('sets CI_DEPLOY_FREEZE for rules and jobs during a period', async () => {
      const jobsOf = async () => {
        const { body } = await fixture.asOwner(`POST ${fixture.base}/pipeline`, { json: { ref: 'main' } });
        await fixture.server.running.services.queue.drain();
        const jobs = await fixture.asOwner(`GET ${fixture.base}/pipelines/${body.id}/jobs`);
        return jobs.body.map(({ name }: { name: string }) => name).toSorted();
      };
      const { body: period } = await asMaintainer(`POST ${at()}`, always);
      assert.deepEqual(await jobsOf(), ['build']);
      const job = await runner.take();
      const values = Object.fromEntries(
        job.variables.map(({ key, value }: { key: string; value: string }) => [key, value]),
      );
      assert.deepEqual([values.CI_DEPLOY_FREEZE, values.MODE], ['true', 'frozen']);
      await runner.report(job, { state: 'success' });
      const over = { freeze_start: always.freeze_end, freeze_end: always.freeze_start };
      await asMaintainer(`PUT ${at(`/${period.id}`)}`, over);
      assert.deepEqual(await jobsOf(), ['build', 'deploy']);
      const later = await runner.take();
      assert.ok(!later.variables.some(({ key }: { key: string }) => key === 'CI_DEPLOY_FREEZE'));
      await asMaintainer(`DELETE ${at(`/${period.id}`)}`);
    });

    it('limits a project to fifty periods, even with concurrent requests', async () => {
      await atOnce(48, () => asMaintainer(`POST ${at()}`, weekend));
      const answers = await atOnce(6, () => asMaintainer(`POST ${at()}`, weekend));
      assert.deepEqual(statuses(answers), { 201: 2, 400: 4 });
      assert.deepEqual(statusAndMessage(await asMaintainer(`POST ${at()}`, weekend)), [
        400,
        { base: ['Maximum number of freeze periods (50) exceeded'] },
      ]);
    });
  });
});
