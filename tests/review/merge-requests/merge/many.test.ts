import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atOnce, statuses } from '../../../support/at-once.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { reviewScene } from '../../../support/merge-requests.ts';

const count = 10;

forEachEngine((engine) => {
  describe('concurrent merges into one branch', () => {
    it('all succeed', async () => {
      const scene = await reviewScene(engine);
      const iids: number[] = [];
      for (let n = 0; n < count; n += 1) {
        await scene.branch(`topic-${n}`, `topic-${n}.txt`, 'x', 'main');
        iids.push((await scene.open(scene.developer, `topic-${n}`)).iid);
      }
      await scene.server.running.services.queue.drain();
      const answers = await atOnce(count, (n) => scene.api(scene.owner, `PUT ${scene.base}/${iids[n]}/merge`));
      assert.deepEqual(statuses(answers), { 200: count });
      for (const iid of iids) {
        const { body } = await scene.api(scene.owner, `GET ${scene.base}/${iid}`);
        assert.deepEqual([body.state, body.merge_error], ['merged', null]);
      }
      const { body } = await scene.api(
        scene.owner,
        `GET /projects/${scene.project.id}/repository/tree?ref=main&per_page=100`,
      );
      const names = body.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('topic-'));
      assert.equal(names.length, count);
    });
  });
});
