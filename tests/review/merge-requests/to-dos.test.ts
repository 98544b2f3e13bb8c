import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import type { Person } from '../../support/scene.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  describe('to-do items of merge requests', () => {
    let scene: ReviewScene;

    before(async () => {
      scene = await reviewScene(engine);
    });

    const toDo = async (person: Person, iid: number) => {
      const todos = (await scene.api(person, 'GET /todos')).body as {
        action_name: string;
        target: { iid: number };
        author: { id: number };
      }[];
      return todos.filter(({ target }) => target.iid === iid).map(({ action_name }) => action_name);
    };
    const statusOf = async (iid: number) =>
      (await scene.api(scene.owner, `GET ${scene.base}/${iid}`)).body.merge_status;

    it('are created for a conflict, once until the assignee pushes', async () => {
      await scene.branch('topic', 'README.md', 'one\nTWO\nthree\n');
      const { iid } = await scene.open(scene.developer, 'topic');
      assert.deepEqual(await toDo(scene.developer, iid), []);
      await scene.branch('main', 'README.md', 'one\nzwei\nthree\n');
      await until(async () => (await toDo(scene.developer, iid)).length > 0);
      assert.equal(await statusOf(iid), 'cannot_be_merged');
      await scene.branch('main', 'README.md', 'one\ndeux\nthree\n');
      await until(async () => (await statusOf(iid)) === 'cannot_be_merged');
      assert.deepEqual(await toDo(scene.developer, iid), ['unmergeable']);
      assert.deepEqual(await toDo(scene.owner, iid), []);
      await scene.git.git('checkout', '-q', '-B', 'topic', 'main');
      await scene.git.commit({ 'README.md': 'one\nboth\nthree\n' }, 'Resolve');
      await scene.push(scene.developer, '+topic');
      await until(async () => (await statusOf(iid)) === 'can_be_merged');
      assert.deepEqual(await toDo(scene.developer, iid), []);
    });

    it('are created for a conflict that existed from the beginning', async () => {
      await scene.git.git('checkout', '-q', '-B', 'old', 'main~1');
      await scene.git.commit({ 'README.md': 'one\nold\nthree\n' }, 'Old');
      await scene.push(scene.developer, 'old');
      const { iid } = await scene.open(scene.developer, 'old');
      assert.deepEqual(await toDo(scene.developer, iid), ['unmergeable']);
    });

    it('are created for a failed pipeline, also for the user who enabled auto-merge', async () => {
      const head = await scene.branch('built', 'built.txt', 'b');
      const { iid } = await scene.open(scene.developer, 'built');
      const say = (state: string) =>
        scene.server.must(`POST /projects/${scene.project.id}/statuses/${head}`, {
          token: scene.owner.token,
          json: { state, ref: 'built', name: 'outside' },
        });
      await say('running');
      await until(async () => (await scene.api(scene.owner, `GET ${scene.base}/${iid}`)).body.head_pipeline !== null);
      const set = await scene.api(scene.owner, `PUT ${scene.base}/${iid}/merge`, { json: { auto_merge: true } });
      assert.equal(set.body.merge_when_pipeline_succeeds, true);
      await say('failed');
      await until(async () => (await toDo(scene.developer, iid)).length > 0);
      assert.deepEqual(await toDo(scene.developer, iid), ['build_failed']);
      assert.deepEqual(await toDo(scene.owner, iid), ['build_failed']);
      assert.deepEqual(await toDo(scene.reporter, iid), []);
    });
  });
});
