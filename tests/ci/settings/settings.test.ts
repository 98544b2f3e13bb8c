import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import type { Answer } from '../../support/server.ts';
import { zipOf } from '../artifacts/zip.ts';
import { RunnerClient } from '../runner-client.ts';

const configuration = `
twice: {script: make, rules: [{if: '$CI_OPEN_MERGE_REQUESTS', when: never}, {when: always}]}
build: {script: make, artifacts: {paths: [out/]}}
`;
const day = 86_400_000;

forEachEngine((engine) => {
  describe('pipelines under the settings of the instance', () => {
    let place: ProjectWithRoles;
    let runner: RunnerClient;
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const set = async (json: Record<string, unknown>) => {
      const { status, body } = await place.server.api('PUT /application/settings', { json });
      assert.equal(status, 200, JSON.stringify(body));
    };
    const settled = () => place.server.running.services.queue.drain();
    const start = (ref = 'main') => place.asOwner(`POST ${place.base}/pipeline`, { json: { ref } });
    const take = async (name: string) => {
      for (;;) {
        const job = await runner.take();
        if (job.job_info.name === name) return job;
        await runner.report(job, { state: 'success' });
      }
    };
    const upload = async (job: { id: number; token: string }, bytes: Buffer) => {
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(bytes)]), 'artifacts.zip');
      const headers = { 'job-token': job.token };
      return place.server.api(`POST /jobs/${job.id}/artifacts`, { token: null, headers, body: form });
    };
    const value = (job: { variables: { key: string; value: string }[] }, name: string) =>
      job.variables.find(({ key }) => key === name)?.value;

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      await source.git('tag', '-a', '-m', 'what is in it', 'v1');
      await source.git('checkout', '-q', '-b', 'feature');
      await source.commit({ more: 'text' }, 'more [skip ci]');
      await source.git('checkout', '-q', 'main');
      place = await projectWithRoles(engine, 'governed', source);
      const wanted = { runner_type: 'project_type', project_id: place.project.id };
      runner = await RunnerClient.create(place.server, wanted, place.owner.token);
      await settled();
    });

    it('give new projects the path of the configuration and the runners that they say', async () => {
      await set({ default_ci_config_path: 'ci/main.yml', shared_runners_enabled: false });
      const { body } = await place.asOwner('POST /projects', { json: { name: 'newer' } });
      assert.deepEqual([body.ci_config_path, body.shared_runners_enabled], ['ci/main.yml', false]);
      const own = { name: 'other', ci_config_path: 'own.yml', shared_runners_enabled: true };
      const other = await place.asOwner('POST /projects', { json: own });
      assert.deepEqual([other.body.ci_config_path, other.body.shared_runners_enabled], ['own.yml', true]);
      await set({ default_ci_config_path: null, shared_runners_enabled: true });
    });

    it('bound what a configuration includes, and how large it is', async () => {
      const lint = async (content: string) =>
        (await place.asOwner(`POST ${place.base}/ci/lint`, { json: { content } })).body.errors;
      const content = 'include: [{template: Go.gitlab-ci.yml}, {template: Workflows/Branch-Pipelines.gitlab-ci.yml}]';
      assert.deepEqual(await lint(content), []);
      await set({ ci_max_includes: 1 });
      assert.deepEqual(await lint(content), ['Maximum of 1 nested includes are allowed!']);
      await set({ ci_max_includes: 150, ci_max_total_yaml_size_bytes: 200 });
      assert.deepEqual(await lint(content), ['The parsed YAML is too big']);
      await set({ ci_max_total_yaml_size_bytes: 314_572_800, max_yaml_size_bytes: 20 });
      assert.deepEqual(await lint('one: {script: make everything}'), ['The parsed YAML is too big']);
      await set({ max_yaml_size_bytes: 2_097_152 });
    });

    it('bound the size and the life of artifacts', async () => {
      await set({ max_artifacts_size: 1, default_artifacts_expire_in: '3 days' });
      assert.equal((await start()).status, 201);
      await settled();
      const job = await take('build');
      assert.equal((await upload(job, Buffer.alloc(2 * 1024 * 1024))).status, 413);
      assert.equal((await upload(job, await zipOf({ 'out/a': 'a' }))).status, 201);
      const { body } = await place.asOwner(`GET ${place.base}/jobs/${job.id}`);
      const left = Date.parse(body.artifacts_expire_at) - Date.now();
      assert.ok(left > 2.9 * day && left <= 3 * day, body.artifacts_expire_at);
      await set({ max_artifacts_size: 100, default_artifacts_expire_in: '30 days' });
      await runner.report(job, { state: 'success' });
    });

    it('say who registers runners, and how long their tokens are good', async () => {
      const { server, owner, project } = place;
      const json = { runner_type: 'project_type', project_id: project.id };
      const make = () => server.api('POST /user/runners', { json, token: owner.token });
      await set({ project_runner_token_expiration_interval: 7200 });
      const { body } = await make();
      assert.ok(Math.abs(Date.parse(body.token_expires_at) - Date.now() - 7_200_000) < 3_600_000);
      const verified = await server.api('POST /runners/verify', { token: null, json: { token: body.token } });
      assert.equal(verified.body.token_expires_at, body.token_expires_at);
      await server.db.write((trx) =>
        trx
          .updateTable('runners')
          .set({ token_expires_at: Date.now() - 1 })
          .where('id', '=', body.id)
          .execute(),
      );
      const late = await server.api('POST /runners/verify', { token: null, json: { token: body.token } });
      assert.equal(late.status, 403);
      await set({ valid_runner_registrars: ['group'], project_runner_token_expiration_interval: null });
      assert.deepEqual(says(await make()), [403, '403 Forbidden - Insufficient permissions']);
      assert.equal((await server.api('POST /user/runners', { json })).status, 201);
      const { runners_token: token } = (await place.asOwner(`GET ${place.base}`)).body;
      const register = () => server.api('POST /runners', { token: null, json: { token } });
      assert.deepEqual(says(await register()), [410, '410 Gone - runner registration disallowed']);
      await set({ valid_runner_registrars: ['project', 'group'], allow_runner_registration_token: false });
      assert.deepEqual(says(await register()), [410, '410 Gone - runner registration disallowed']);
      await set({ allow_runner_registration_token: true });
      assert.equal((await register()).status, 201);
    });

    it('limit how many one user starts for a commit', async () => {
      await set({ pipeline_limit_per_project_user_sha: 1 });
      // At once: on a slow machine the minute may be over before another.
      const [made, late] = (await Promise.all([start(), start()])).toSorted((a, b) => a.status - b.status);
      const text = 'Too many pipelines created in the last minute. Try again later.';
      assert.deepEqual(late && says(late), [400, { base: [text] }]);
      assert.equal(made?.status, 201);
      await set({ pipeline_limit_per_project_user_sha: 0 });
      assert.equal((await start()).status, 201);
      await settled();
    });

    it('limit how often a runner asks, by its token', async () => {
      await set({ runner_jobs_request_api_limit: 1, runner_jobs_endpoints_api_limit: 1 });
      const other = await RunnerClient.create(place.server, { runner_type: 'instance_type' });
      const answers = await Promise.all([runner.ask(), runner.ask(), runner.ask()]);
      const refused = answers.filter(({ status }) => status === 429);
      assert.deepEqual(
        refused.map(({ headers }) => headers.get('retry-after')),
        ['60', '60'],
      );
      const spared = await other.ask();
      assert.notEqual(spared.status, 429);
      await set({ runner_jobs_request_api_limit: 0, runner_jobs_endpoints_api_limit: 0 });
      for (const { status, body } of [...answers, spared]) {
        if (status === 201) await runner.report(body, { state: 'success' });
      }
    });

    it('tell jobs of tags, open merge requests and the deploy token', async () => {
      const { asOwner, base } = place;
      const scopes = ['read_repository'];
      const made = await asOwner(`POST ${base}/deploy_tokens`, { json: { name: 'gitlab-deploy-token', scopes } });
      const ended = await asOwner(`POST ${base}/deploy_tokens`, { json: { name: 'another', scopes } });
      assert.deepEqual([made.status, ended.status], [201, 201]);
      const json = { source_branch: 'feature', target_branch: 'main', title: 'More' };
      const request = await asOwner(`POST ${base}/merge_requests`, { json });
      assert.equal(request.status, 201);
      await start('v1');
      await settled();
      const tagged = await take('twice').then(async (job) => {
        if (value(job, 'CI_COMMIT_TAG') === 'v1') return job;
        await runner.report(job, { state: 'success' });
        return take('twice');
      });
      assert.equal(value(tagged, 'CI_COMMIT_TAG_MESSAGE'), 'what is in it');
      assert.equal(value(tagged, 'CI_DEPLOY_USER'), made.body.username);
      const secret = tagged.variables.find(({ key }: { key: string }) => key === 'CI_DEPLOY_PASSWORD');
      assert.deepEqual([secret.value, secret.masked, secret.public], [made.body.token, true, false]);
      const { body } = await start('feature');
      const { body: jobs } = await asOwner(`GET ${base}/pipelines/${body.id}/jobs`);
      // Its rule leaves it out where a merge request has a pipeline of its own.
      assert.deepEqual(
        jobs.map(({ name }: { name: string }) => name),
        ['build'],
      );
    });
  });
});
