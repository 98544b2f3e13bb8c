import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';

forEachEngine((engine) => {
  describe('merge requests of a milestone', () => {
    let scene: ReviewScene;
    let place: string;

    before(async () => {
      scene = await reviewScene(engine);
      place = scene.base.replace(/\/merge_requests$/, '');
      await scene.branch('a', 'a.txt', 'a');
    });

    it('are listed, follow its due date, and lose it when it is deleted', async () => {
      const { owner } = scene;
      const { token } = owner;
      const milestone = await scene.server.must(`POST ${place}/milestones`, {
        token,
        json: { title: 'v1', due_date: '2030-01-01' },
      });
      const request = await scene.open(owner, 'a', { title: 'alpha', milestone_id: milestone.id });
      const path = `${place}/milestones/${milestone.id}`;
      const [found] = await scene.server.must(`GET ${path}/merge_requests`, { token });
      assert.deepEqual([found.iid, found.milestone.id], [request.iid, milestone.id]);
      const stored = async () =>
        await scene.server.db.read
          .selectFrom('merge_requests')
          .select(['milestone_id', 'milestone_due_date'])
          .where('id', '=', found.id)
          .executeTakeFirstOrThrow();
      await scene.server.must(`PUT ${path}`, { token, json: { due_date: '2031-01-01' } });
      assert.deepEqual(await stored(), { milestone_id: milestone.id, milestone_due_date: '2031-01-01' });
      assert.equal((await scene.server.api(`GET ${path}/merge_requests`, { token: null })).status, 401);
      await scene.server.must(`DELETE ${path}`, { token });
      assert.deepEqual(await stored(), { milestone_id: null, milestone_due_date: null });
    });
  });
});
