import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';

const configuration = `
stages: [one, two]
mirror:
  stage: one
  trigger: {include: child.yml, strategy: mirror}
by-hand:
  stage: one
  when: manual
  trigger: {include: plain.yml}
after: {stage: two, script: make}
`;
const child = `
gate: {script: make, rules: [{if: '$CI', when: manual}]}
`;

forEachEngine((engine) => {
  describe('bridges', () => {
    let fixture: ProjectWithRoles;
    let pipelineId: number;
    const drainQueue = () => fixture.server.running.services.queue.drain();
    const bridges = async () => {
      const { body } = await fixture.asOwner(`GET ${fixture.base}/pipelines/${pipelineId}/bridges`);
      return Object.fromEntries(body.map((bridge: { name: string }) => [bridge.name, bridge]));
    };
    const jobOf = async (id: number, name: string) => {
      const { body } = await fixture.asOwner(`GET ${fixture.base}/pipelines/${id}/jobs`);
      return body.find((job: { name: string }) => job.name === name);
    };
    const play = (id: number) => fixture.asOwner(`POST ${fixture.base}/jobs/${id}/play`);

    before(async () => {
      const source = new GitClient();
      await source.init();
      const files = { '.gitlab-ci.yml': configuration, 'child.yml': child, 'plain.yml': 'work: {script: make}\n' };
      await source.commit(files, 'root [skip ci]');
      fixture = await projectWithRoles(engine, 'bridged', source);
      const { body } = await fixture.asOwner(`POST ${fixture.base}/pipeline`, { json: { ref: 'main' } });
      pipelineId = body.id;
      await drainQueue();
    });

    it('mirror the status of the child pipeline, including manual', async () => {
      const { mirror } = await bridges();
      assert.deepEqual([mirror.status, mirror.downstream_pipeline.status], ['manual', 'manual']);
      assert.equal((await jobOf(pipelineId, 'after')).status, 'created');
      const played = await play(mirror.id);
      assert.deepEqual([played.status, played.body.message], [400, '400 Bad request - Unplayable Job']);
      const gate = await jobOf(mirror.downstream_pipeline.id, 'gate');
      assert.equal((await play(gate.id)).status, 200);
      await drainQueue();
      assert.equal((await bridges()).mirror.status, 'running');
      for (const event of ['run', 'success'] as const) {
        await fixture.server.db.write((trx) => transitionJob(fixture.server.running.services, trx, gate.id, event));
      }
      await drainQueue();
      assert.equal((await bridges()).mirror.status, 'success');
      assert.equal((await jobOf(pipelineId, 'after')).status, 'pending');
    });

    it('that are manual start their pipeline only when played', async () => {
      const waiting = (await bridges())['by-hand'];
      assert.deepEqual([waiting.status, waiting.downstream_pipeline], ['manual', null]);
      const { server, guest, base } = fixture;
      assert.equal((await server.api(`POST ${base}/jobs/${waiting.id}/play`, { token: guest.token })).status, 403);
      const played = await fixture.asOwner(`POST ${fixture.base}/jobs/${waiting.id}/play`);
      assert.deepEqual([played.status, played.body.status], [200, 'pending']);
      assert.equal('runner' in played.body, false);
      await drainQueue();
      const started = (await bridges())['by-hand'];
      assert.equal(started.status, 'success');
      assert.equal(started.downstream_pipeline.source, 'parent_pipeline');
    });
  });
});
