import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  describe('quick actions in comments on merge requests', () => {
    let scene: ReviewScene;
    let request: string;

    const say = (body: string, person = scene.owner) => scene.api(person, `POST ${request}/notes`, { json: { body } });
    const now = async () => (await scene.api(scene.owner, `GET ${request}`)).body;

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('topic', 'README.md', 'one\n2\nthree\n');
      await scene.open(scene.developer, 'topic');
      request = `${scene.base}/1`;
    });

    it('assign, ask for reviews, label, estimate and draft', async () => {
      const { username } = scene.developer.user;
      const answer = await say(
        `/assign @${username}\n/assign_reviewer me\n/label ~new-one\n/estimate 3h\n/spend 1h\n/draft\n/lock`,
      );
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      assert.equal(answer.body.commands_changes.wip_event, 'draft');
      const after = await now();
      assert.deepEqual(
        [
          after.assignees.map((each: { username: string }) => each.username),
          after.reviewers.map((each: { username: string }) => each.username),
          after.draft,
          after.discussion_locked,
          after.time_stats.time_estimate,
          after.time_stats.total_time_spent,
        ],
        [[username], [scene.owner.user.username], true, true, 10_800, 3600],
      );
      assert.match(after.title, /^Draft: /);
      await say('/ready\n/unlock\n/unassign\n/remove_estimate');
      const again = await now();
      assert.deepEqual(
        [again.draft, again.discussion_locked, again.assignees, again.time_stats.time_estimate],
        [false, false, [], 0],
      );
    });

    it('ask for a review, and for another one of whoever has reviewed', async () => {
      const { username } = scene.reporter.user;
      const ask = (person = scene.owner) => say(`/request_review @${username}`, person);
      const reviewers = async () => (await scene.api(scene.owner, `GET ${request}/reviewers`)).body;
      const reviews = async () =>
        (await reviewers())
          .filter(({ user }: { user: { username: string } }) => user.username === username)
          .map(({ state }: { state: string }) => state);
      const before = (await reviewers()).length;
      await ask(scene.reporter);
      assert.deepEqual(await reviews(), []);
      const answer = await ask();
      assert.deepEqual([answer.status, answer.body.summary], [202, [`Requested a review from @${username}.`]]);
      assert.deepEqual([await reviews(), (await reviewers()).length], [['unreviewed'], before + 1]);
      await scene.api(scene.reporter, `POST ${request}/draft_notes`, { json: { note: 'Looks fine' } });
      await scene.api(scene.reporter, `POST ${request}/draft_notes/bulk_publish`);
      assert.deepEqual(await reviews(), ['reviewed']);
      await scene.api(scene.reporter, 'POST /todos/mark_as_done');
      await ask();
      assert.deepEqual([await reviews(), (await reviewers()).length], [['unreviewed'], before + 1]);
      const { body: todos } = await scene.api(scene.reporter, 'GET /todos');
      assert.deepEqual(
        todos.map(({ action_name }: { action_name: string }) => action_name),
        ['review_requested'],
      );
      const notes = (await scene.api(scene.owner, `GET ${request}/notes`)).body;
      const asked = notes.filter(({ body }: { body: string }) => body === `requested review from @${username}`);
      assert.equal(asked.length, 2);
    });

    it('leave the rest of a comment as it is', async () => {
      const answer = await say('Well done.\n/subscribe\n/award :tada:');
      assert.deepEqual([answer.status, answer.body.body], [201, 'Well done.']);
      assert.equal((await now()).subscribed, true);
    });

    it('do nothing for those who may not', async () => {
      const before = await now();
      const answer = await say('/close\n/merge\n/label ~bug\n/draft', scene.reporter);
      assert.equal(answer.status, 202);
      const after = await now();
      assert.deepEqual(
        [after.state, after.draft, after.labels, after.merge_when_pipeline_succeeds],
        [before.state, before.draft, before.labels, false],
      );
    });

    it('close and reopen', async () => {
      await say('/close');
      assert.equal((await now()).state, 'closed');
      await say('/reopen');
      assert.equal((await now()).state, 'opened');
      const events = `GET ${request}/resource_state_events`;
      const listed = await scene.api(scene.reporter, events);
      assert.deepEqual(
        listed.body.map((event: { state: string; resource_type: string }) => [event.state, event.resource_type]),
        [
          ['closed', 'MergeRequest'],
          ['reopened', 'MergeRequest'],
        ],
      );
      const [first] = listed.body;
      assert.deepEqual((await scene.api(scene.reporter, `${events}/${first.id}`)).body, first);
      assert.equal((await scene.api(scene.reporter, `${events}/999999`)).status, 404);
      assert.equal((await scene.server.api(events, { token: null })).status, 401);
      assert.equal((await scene.api(scene.owner, `GET ${request}/resource_label_events`)).status, 200);
      assert.deepEqual((await scene.api(scene.owner, `GET ${request}/resource_milestone_events`)).body, []);
    });

    it('merge', async () => {
      assert.equal((await say('/merge')).status, 202);
      await until(async () => (await now()).state === 'merged');
    });
  });
});
