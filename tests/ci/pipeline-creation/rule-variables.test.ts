import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { digest } from '../../../src/platform/secrets/tokens.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';

/** Each job is created if its rule matches. */
const config = `
workflow: {name: "by $GITLAB_USER_LOGIN"}
always: {script: make}
by-owner: {script: make, rules: [{if: '$GITLAB_USER_LOGIN =~ /^owner/ && $GITLAB_USER_ID && $GITLAB_USER_NAME'}]}
by-mail: {script: make, rules: [{if: '$GITLAB_USER_EMAIL =~ /^owner.*@/'}]}
triggered: {script: make, rules: [{if: '$CI_PIPELINE_TRIGGERED == "true" && $CI_TRIGGER_SHORT_TOKEN =~ /^.{4}$/'}]}
nightly: {script: make, rules: [{if: '$CI_PIPELINE_SCHEDULE_DESCRIPTION == "nightly"'}]}
downstream: {script: make, rules: [{if: '$CI_UPSTREAM_PIPELINE_ID && $CI_UPSTREAM_PROJECT_ID == $CI_PROJECT_ID'}]}
`;

forEachEngine((engine) => {
  describe('predefined variables available to rules', () => {
    let fixture: ProjectWithRoles;
    const jobsOf = async (pipelineId: number) => {
      const { db } = fixture.server;
      const rows = await db.read.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId).execute();
      return rows.map(({ name }) => name).sort();
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': config }, 'root');
      fixture = await projectWithRoles(engine, 'asked', source);
    });

    it('include the user', async () => {
      const { base, asOwner, asDeveloper } = fixture;
      const { body } = await asOwner(`POST ${base}/pipeline`, { json: { ref: 'main' } });
      assert.deepEqual(await jobsOf(body.id), ['always', 'by-mail', 'by-owner']);
      assert.equal((await asOwner(`GET ${base}/pipelines/${body.id}`)).body.name, `by ${fixture.owner.user.username}`);
      const json = { content: config, dry_run: true, include_jobs: true };
      const lint = await asDeveloper(`POST ${base}/ci/lint`, { json });
      assert.deepEqual(
        lint.body.jobs.map(({ name }: { name: string }) => name),
        ['always'],
      );
    });

    it('include the topics of the project in their order, which renamed topics keep', async () => {
      const { base, asOwner, server } = fixture;
      const content = (topics: string) => `a: {script: make, rules: [{if: '$CI_PROJECT_TOPICS == "${topics}"'}]}`;
      const jobsFor = async (topics: string) => {
        const json = { content: content(topics), dry_run: true, include_jobs: true };
        return (await asOwner(`POST ${base}/ci/lint`, { json })).body.jobs.length;
      };
      const { body } = await asOwner(`PUT ${base}`, { json: { topics: ['Web', 'api', 'Old'] } });
      assert.deepEqual(body.topics, ['Old', 'Web', 'api']);
      assert.deepEqual([await jobsFor('web,api,old'), await jobsFor('old,web,api')], [1, 0]);
      const [{ id }] = await server.must('GET /topics?search=Web');
      await server.must(`PUT /topics/${id}`, { json: { name: 'Zone' } });
      await server.running.services.queue.drain();
      assert.equal(await jobsFor('zone,api,old'), 1);
      await asOwner(`PUT ${base}`, { json: { topics: [] } });
    });

    it('include the trigger token and the upstream pipeline', async () => {
      const { base, asOwner, server } = fixture;
      const { token } = (await asOwner(`POST ${base}/triggers`, { json: { description: 'd' } })).body;
      const start = (sent: string) =>
        server.api(`POST ${base}/trigger/pipeline`, { token: null, json: { token: sent, ref: 'main' } });
      const first = (await start(token)).body;
      assert.deepEqual(await jobsOf(first.id), ['always', 'by-mail', 'by-owner', 'triggered']);
      await server.running.services.queue.drain();
      const job = await server.db.read
        .selectFrom('ci_jobs')
        .select('id')
        .where('pipeline_id', '=', first.id)
        .where('name', '=', 'always')
        .executeTakeFirstOrThrow();
      const change = { token_digest: digest('glcbt-of-the-job') };
      await server.db.write((trx) => transitionJob(server.running.services, trx, job.id, 'run', { change }));
      const second = (await start('glcbt-of-the-job')).body;
      assert.deepEqual(await jobsOf(second.id), ['always', 'by-mail', 'by-owner', 'downstream']);
    });

    it('include the schedule', async () => {
      const { base, asOwner, server } = fixture;
      const json = { description: 'nightly', ref: 'main', cron: '0 1 * * *' };
      const schedule = (await asOwner(`POST ${base}/pipeline_schedules`, { json })).body;
      await asOwner(`POST ${base}/pipeline_schedules/${schedule.id}/play`);
      await server.running.services.queue.drain();
      const [pipeline] = (await asOwner(`GET ${base}/pipelines?source=schedule`)).body;
      assert.deepEqual(await jobsOf(pipeline.id), ['always', 'by-mail', 'by-owner', 'nightly']);
    });
  });
});
