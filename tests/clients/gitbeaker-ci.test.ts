import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

const configuration = 'build: {script: make, resource_group: one}\nbelow: {trigger: {include: below.yml}}\n';

forEachEngine((engine) => {
  describe('gitbeaker CI/CD resources', () => {
    let server: TestServer;
    let api: InstanceType<typeof Gitlab>;
    let group: number;
    let project: number;
    let sha: string;

    before(async () => {
      server = await startTestServer(engine);
      api = new Gitlab({ host: server.url, token: rootToken });
      group = (await api.Groups.create('Runs', 'runs')).id;
      project = (await api.Projects.create({ name: 'Run', namespaceId: group, initializeWithReadme: true })).id;
      const commit = await api.Commits.create(project, 'main', 'Configure [skip ci]', [
        { action: 'create', filePath: '.gitlab-ci.yml', content: configuration },
        { action: 'create', filePath: 'below.yml', content: 'work: {script: make}\n' },
      ]);
      sha = commit.id;
    });

    it('variables of projects and groups', async () => {
      const made = await api.ProjectVariables.create(project, 'KEY', 'value', { environmentScope: 'review/*' });
      assert.deepEqual([made.key, made.environment_scope], ['KEY', 'review/*']);
      const filter = { environment_scope: 'review/*' };
      assert.equal((await api.ProjectVariables.edit(project, 'KEY', 'other', { filter })).value, 'other');
      assert.equal((await api.ProjectVariables.show(project, 'KEY')).value, 'other');
      assert.equal((await api.ProjectVariables.all(project)).length, 1);
      await api.ProjectVariables.remove(project, 'KEY');
      await assert.rejects(api.ProjectVariables.show(project, 'KEY'), /404 Variable Not Found/);
      await api.GroupVariables.create(group, 'SHARED', 'v');
      assert.equal((await api.GroupVariables.all(group)).length, 1);
    });

    it('trigger tokens, schedules and their pipelines', async () => {
      const token = await api.PipelineTriggerTokens.create(project, 'for the nightly');
      const started = await api.PipelineTriggerTokens.trigger(project, 'main', token.token, {
        variables: { WHERE: 'here' },
      });
      assert.deepEqual([started.source, started.sha], ['trigger', sha]);
      await server.running.services.queue.drain();
      const [bridge] = await api.Jobs.allPipelineBridges(project, started.id);
      assert.equal((bridge?.downstream_pipeline as { status?: string } | null)?.status, 'pending');
      const [group] = await api.ResourceGroups.all(project);
      assert.equal(group?.key, 'one');
      await api.ResourceGroups.edit(project, 'one', { processMode: 'oldest_first' });
      const schedule = await api.PipelineSchedules.create(project, 'nightly', 'main', '0 1 * * *', {
        cronTimezone: 'Europe/Berlin',
      });
      await api.PipelineScheduleVariables.create(project, schedule.id, 'MODE', 'night');
      const edited = await api.PipelineScheduleVariables.edit(project, schedule.id, 'MODE', 'day');
      assert.equal(edited.value, 'day');
      assert.equal((await api.PipelineSchedules.show(project, schedule.id)).variables?.length, 1);
      await api.PipelineSchedules.run(project, schedule.id);
      await server.running.services.queue.drain();
      const [run] = await api.PipelineSchedules.allTriggeredPipelines(project, schedule.id);
      assert.equal(run?.source, 'schedule');
      await api.PipelineSchedules.takeOwnership(project, schedule.id);
      await api.PipelineSchedules.remove(project, schedule.id);
      assert.deepEqual(await api.PipelineSchedules.all(project), []);
    });

    it('freeze periods', async () => {
      const made = await api.FreezePeriods.create(project, '0 23 * * 5', '0 8 * * 1', {
        cronTimezone: 'Europe/Berlin',
      });
      assert.deepEqual([made.freeze_start, made.cron_timezone], ['0 23 * * 5', 'Europe/Berlin']);
      assert.equal(
        (await api.FreezePeriods.edit(project, made.id, { freezeEnd: '0 9 * * 1' })).freeze_end,
        '0 9 * * 1',
      );
      assert.equal((await api.FreezePeriods.show(project, made.id)).id, made.id);
      assert.equal((await api.FreezePeriods.all(project)).length, 1);
      await api.FreezePeriods.remove(project, made.id);
      assert.deepEqual(await api.FreezePeriods.all(project), []);
    });

    it('environments, deployments and secure files', async () => {
      const made = await api.Environments.create(project, 'production', { externalUrl: 'https://example.com' });
      const deployment = await api.Deployments.create(project, 'production', sha, 'main', false, { status: 'running' });
      await api.Deployments.edit(project, deployment.id, 'success');
      const shown = await api.Environments.show(project, made.id);
      assert.equal((shown.last_deployment as { id?: number } | undefined)?.id, deployment.id);
      assert.equal((await api.Deployments.all(project, { environment: 'production' })).length, 1);
      assert.deepEqual(await api.Deployments.allMergeRequests(project, deployment.id), []);
      assert.equal((await api.Environments.stop(project, made.id)).state, 'stopped');
      await api.Environments.remove(project, made.id);
      const content = new Blob(['secret']);
      const file = await api.SecureFiles.create(project, 'a.key', { content, filename: 'a.key' });
      assert.equal(await (await api.SecureFiles.download(project, file.id)).text(), 'secret');
      await api.SecureFiles.remove(project, file.id);
    });
  });
});
