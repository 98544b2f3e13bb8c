import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import {
  defaultLimits,
  type LimitName,
  limitNames,
  limitsWithoutEffect,
} from '../../../src/access/limits/plan-limits.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { rootToken } from '../../support/server.ts';

describe('limits documented as having no effect', () => {
  it('are exactly those not used by the code', () => {
    const root = join(import.meta.dirname, '../../..');
    const texts = globSync('src/ci/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
    const isUsed = (name: LimitName) =>
      texts.some((text) => text.includes(name.replace(/ci_registered_(group|project)_runners/, 'ci_registered_')));
    assert.deepEqual(
      limitNames.filter((name) => !isUsed(name)),
      limitsWithoutEffect,
    );
  });
});

forEachEngine((engine) => {
  describe('plan limits', () => {
    let place: ProjectWithRoles;
    const root = (call: string, json?: object) =>
      place.server.api(call, { token: rootToken, ...(json ? { json } : {}) });
    const set = async (json: object) => {
      const answer = await root('PUT /application/plan_limits', { plan_name: 'default', ...json });
      assert.equal(answer.status, 200);
      return answer.body;
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      const needy = 'c: {script: make, needs: [a, b]}';
      await source.commit({ '.gitlab-ci.yml': `a: {script: make}\nb: {script: make}\n${needy}\n` }, 'root');
      place = await projectWithRoles(engine, 'limited', source);
    });

    it('are restricted to administrators and the default plan', async () => {
      for (const call of ['GET /application/plan_limits', 'PUT /application/plan_limits?plan_name=default']) {
        assert.equal((await place.server.api(call, { token: null })).status, 401);
        assert.equal((await place.asOwner(call)).status, 403);
      }
      const shown = await root('GET /application/plan_limits');
      assert.deepEqual(shown.body, { ...defaultLimits, limits_history: {} });
      const errorOf = async (call: string) => (await root(call)).body.error;
      assert.equal(
        await errorOf('GET /application/plan_limits?plan_name=gold'),
        'plan_name does not have a valid value',
      );
      assert.equal(await errorOf('PUT /application/plan_limits'), 'plan_name is missing');
      const put = 'PUT /application/plan_limits?plan_name=default';
      assert.equal(await errorOf(`${put}&ci_pipeline_size=many`), 'ci_pipeline_size is invalid');
      const negative = await root(`${put}&ci_pipeline_size=-1&dotenv_size=7`);
      assert.deepEqual(
        [negative.status, negative.body],
        [400, { message: { ci_pipeline_size: ['must be greater than or equal to 0'] } }],
      );
      assert.deepEqual((await root('GET /application/plan_limits?plan_name=default')).body, shown.body);
    });

    it('are stored with their history and audited', async () => {
      const changed = await set({ helm_max_file_size: 7, npm_max_file_size: defaultLimits.npm_max_file_size });
      assert.equal(changed.helm_max_file_size, 7);
      const [history] = changed.limits_history.helm_max_file_size;
      assert.deepEqual([history.username, history.value, history.user_id], ['root', 7, 1]);
      assert.deepEqual(Object.keys(changed.limits_history), ['helm_max_file_size']);
      assert.deepEqual((await root('GET /application/plan_limits')).body, changed);
      const [event] = (await root('GET /audit_events')).body;
      assert.deepEqual([event.event_name, event.details.change], ['application_setting_updated', 'helm_max_file_size']);
    });

    it('apply to schedules, instance variables and runners', async () => {
      const schedule = { description: 'x', ref: 'main', cron: '0 1 * * *' };
      await set({ ci_pipeline_schedules: 0, ci_instance_level_variables: 0, ci_registered_project_runners: 0 });
      const refused = [
        await place.asOwner(`POST ${place.base}/pipeline_schedules`, { json: schedule }),
        await root('POST /admin/ci/variables', { key: 'A', value: 'b' }),
        await root('POST /user/runners', { runner_type: 'project_type', project_id: place.project.id }),
      ];
      assert.deepEqual(
        refused.map(({ status, body }) => [status, body.message]),
        [
          [400, { base: ['Maximum number of pipeline schedules (0) exceeded'] }],
          [400, { base: ['Maximum number of instance level CI variables (0) exceeded'] }],
          [400, { base: ['Maximum number of ci registered project runners (0) exceeded'] }],
        ],
      );
      await set({ ci_pipeline_schedules: 1, ci_instance_level_variables: 1, ci_registered_project_runners: 1 });
      const created = [
        await place.asOwner(`POST ${place.base}/pipeline_schedules`, { json: schedule }),
        await root('POST /admin/ci/variables', { key: 'A', value: 'b' }),
        await root('POST /user/runners', { runner_type: 'project_type', project_id: place.project.id }),
      ];
      assert.deepEqual(
        created.map(({ status }) => status),
        [201, 201, 201],
      );
    });

    it('apply to pipeline size, active jobs and needs', async () => {
      const start = async () => {
        const { status, body } = await place.asOwner(`POST ${place.base}/pipeline`, { json: { ref: 'main' } });
        return status === 201 ? body.status : body.message.base[0];
      };
      await set({ ci_pipeline_size: 2 });
      assert.equal(await start(), 'Pipeline has too many jobs! Requested 3, but the limit is 2.');
      await set({ ci_pipeline_size: 0, ci_needs_size_limit: 1 });
      assert.match(await start(), /one job can only need 1 others, but you have listed 2/);
      await set({ ci_needs_size_limit: 50, ci_active_jobs: 6 });
      assert.equal(await start(), 'created');
      assert.match(await start(), /^Project has too many active jobs! There are 9, but the limit is 6\.$/);
      await set({ ci_active_jobs: 0 });
      assert.equal(await start(), 'created');
    });
  });
});
