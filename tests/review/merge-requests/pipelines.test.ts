import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';

const config = `
build: { script: [make] }
review: { script: [make], rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }] }
`;

forEachEngine((engine) => {
  describe('the pipelines of merge requests', () => {
    let scene: ReviewScene;

    const settle = () => scene.server.running.services.queue.drain();
    const get = async (path: string) => (await scene.api(scene.owner, `GET ${scene.base}/${path}`)).body;

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('plain', 'x.txt', 'x');
      await scene.git.git('checkout', '-q', '-b', 'built', 'main');
      await scene.git.commit({ '.gitlab-ci.yml': config, 'y.txt': 'y' }, 'Build it');
      await scene.push(scene.developer, 'built');
    });

    it('are made when one is opened, where the configuration asks for it', async () => {
      const made = await scene.open(scene.developer, 'built');
      await settle();
      const read = await get(`${made.iid}`);
      assert.equal(read.head_pipeline.source, 'merge_request_event');
      assert.deepEqual(
        [read.head_pipeline.ref, read.head_pipeline.sha],
        [`refs/merge-requests/${made.iid}/head`, made.sha],
      );
      assert.equal(read.pipeline.id, read.head_pipeline.id);
      const list = await get(`${made.iid}/pipelines`);
      assert.deepEqual(
        list.map((pipeline: { source: string }) => pipeline.source),
        ['merge_request_event', 'push'],
      );
      const jobs = await scene.api(
        scene.owner,
        `GET /projects/${scene.project.id}/pipelines/${read.head_pipeline.id}/jobs`,
      );
      assert.deepEqual(
        jobs.body.map((job: { name: string }) => job.name),
        ['review'],
      );
    });

    it('are made when somebody asks for one', async () => {
      const { developer, reporter, base } = scene;
      const [{ iid }] = (await scene.api(scene.owner, `GET ${scene.base}?source_branch=built`)).body;
      const { status, body } = await scene.api(developer, `POST ${base}/${iid}/pipelines`);
      assert.deepEqual([status, body.status, body.source], [201, 'created', 'merge_request_event']);
      assert.equal((await scene.api(reporter, `POST ${base}/${iid}/pipelines`)).status, 403);
      assert.equal((await scene.api(null, `POST ${base}/${iid}/pipelines`)).status, 401);
      const plain = await scene.open(developer, 'plain');
      const none = await scene.api(developer, `POST ${base}/${plain.iid}/pipelines`);
      assert.deepEqual([none.status, none.body], [400, { message: { base: ['Missing CI config file'] } }]);
      const missing = await scene.open(developer, 'missing');
      assert.equal((await scene.api(developer, `POST ${base}/${missing.iid}/pipelines`)).status, 405);
    });

    it('are waited for by automatic merges', async () => {
      const { owner, base, server } = scene;
      const [{ iid, id }] = (await scene.api(scene.owner, `GET ${scene.base}?source_branch=built`)).body;
      const merge = (json: Record<string, unknown>) => scene.api(owner, `PUT ${base}/${iid}/merge`, { json });
      const set = await merge({ merge_when_pipeline_succeeds: true });
      assert.deepEqual([set.status, set.body.state, set.body.merge_when_pipeline_succeeds], [200, 'opened', true]);
      assert.equal(set.body.detailed_merge_status, 'ci_still_running');
      const row = await server.db.read
        .selectFrom('merge_requests')
        .select('head_pipeline_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const { services } = server.running;
      await server.db.write(async (trx) => {
        const pipeline = await trx
          .updateTable('pipelines')
          .set({ status: 'success' })
          .where('id', '=', row.head_pipeline_id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await services.announce(trx, 'pipeline.changed', { pipeline, before: 'running' });
      });
      await settle();
      assert.equal((await get(`${iid}`)).state, 'merged');
    });
  });
});
