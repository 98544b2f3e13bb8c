import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  describe('quick actions in merge request notes', () => {
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

    it('assign, request reviews, label, estimate and mark as draft', async () => {
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

    it('request a review, and another one after a review', async () => {
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

    it('keep the other text of a note', async () => {
      const answer = await say('Well done.\n/subscribe\n/award :tada:');
      assert.deepEqual([answer.status, answer.body.body], [201, 'Well done.']);
      assert.equal((await now()).subscribed, true);
    });

    it('have no effect without permission', async () => {
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

    it('merge only the head that the author of the note saw', async () => {
      const { sha } = await now();
      const merge = (head: Record<string, unknown>) =>
        scene.api(scene.owner, `POST ${request}/notes`, { json: { body: '/merge', ...head } });
      for (const head of [{}, { merge_request_diff_head_sha: 'a'.repeat(40) }]) {
        const refused = await merge(head);
        assert.deepEqual([refused.status, refused.body.summary], [202, ['Could not apply merge command.']]);
        assert.equal((await now()).merge_when_pipeline_succeeds, false);
      }
      assert.equal((await merge({ merge_request_diff_head_sha: sha })).status, 202);
      await until(async () => (await now()).state === 'merged');
    });
  });

  describe('quick actions for reviews and branches', () => {
    let scene: ReviewScene;
    let request: string;

    const say = (body: string, person = scene.developer) =>
      scene.api(person, `POST ${request}/notes`, { json: { body } });
    const summary = async (body: string, person = scene.developer) => (await say(body, person)).body.summary[0];
    const now = async () => (await scene.api(scene.owner, `GET ${request}`)).body;
    const approvers = async () =>
      (await scene.api(scene.owner, `GET ${request}/approvals`)).body.approved_by.map(
        ({ user }: { user: { username: string } }) => user.username,
      );
    const reviews = async () =>
      (await scene.api(scene.owner, `GET ${request}/reviewers`)).body.map(
        ({ user, state }: { user: { username: string }; state: string }) => [user.username, state],
      );

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('topic', 'README.md', 'one\n2\nthree\n');
      const { iid } = await scene.open(scene.owner, 'topic');
      request = `${scene.base}/${iid}`;
    });

    it('approve and unapprove', async () => {
      const { username } = scene.developer.user;
      assert.equal(await summary('/approve'), 'Approved the current merge request.');
      assert.deepEqual(await approvers(), [username]);
      assert.equal(await summary('/approve'), 'Could not apply approve command.');
      assert.equal(await summary('/approve', scene.reporter), 'Could not apply approve command.');
      assert.equal(await summary('/unapprove'), 'Unapproved the current merge request.');
      assert.deepEqual(await approvers(), []);
    });

    it('cannot approve if a password is required', async () => {
      const settings = `POST /projects/${scene.project.id}/approvals`;
      await scene.server.must(settings, { token: scene.owner.token, json: { require_password_to_approve: true } });
      assert.equal(await summary('/approve'), 'Could not apply approve command.');
      await scene.server.must(settings, { token: scene.owner.token, json: { require_password_to_approve: false } });
    });

    it('request changes, which blocks merging until the reviewer approves', async () => {
      const { username } = scene.developer.user;
      await say('/approve');
      assert.equal(await summary('/request_changes'), 'Changes requested to the current merge request.');
      assert.deepEqual([await reviews(), await approvers()], [[[username, 'requested_changes']], []]);
      assert.equal((await now()).detailed_merge_status, 'requested_changes');
      assert.equal((await scene.api(scene.owner, `PUT ${request}/merge`)).status, 405);
      const { body: notes } = await scene.api(scene.owner, `GET ${request}/notes`);
      assert.equal(notes[0].body, 'requested changes');
      await say('/approve');
      assert.deepEqual([(await now()).detailed_merge_status, await reviews()], ['mergeable', [[username, 'approved']]]);
      for (const person of [scene.owner, scene.reporter]) {
        assert.equal(await summary('/request_changes', person), 'Could not apply request_changes command.');
      }
    });

    it('submit a review with its drafts', async () => {
      const drafts = `${request}/draft_notes`;
      await scene.api(scene.developer, `POST ${drafts}`, { json: { note: 'Not like this' } });
      assert.equal(await summary('/submit_review requested_changes'), 'Submitted the current review.');
      await until(async () => (await scene.api(scene.developer, `GET ${drafts}`)).body.length === 0);
      assert.deepEqual(await reviews(), [[scene.developer.user.username, 'requested_changes']]);
      const { body: notes } = await scene.api(scene.owner, `GET ${request}/notes`);
      assert.ok(notes.some(({ body }: { body: string }) => body === 'Not like this'));
    });

    it('change the target to an existing branch', async () => {
      await scene.branch('release', 'other.txt', 'x\n');
      assert.equal(await summary('/target_branch release'), 'Set target branch to release.');
      assert.equal((await now()).target_branch, 'release');
      assert.equal((await say('/target_branch nowhere')).status, 400);
      const itself = await say('/target_branch topic');
      assert.deepEqual(
        [itself.status, itself.body.message],
        [400, `400 Bad request - Note {:validation=>["You can't use same project/branch for source and target"]}`],
      );
    });

    it('do not create duplicate merge requests', async () => {
      const { iid } = await scene.open(scene.owner, 'topic');
      const refusal = (other: number) =>
        `400 Bad request - Note {:validation=>["Another open merge request already exists for this source branch: !${other}"]}`;
      const moved = await say('/target_branch main');
      assert.deepEqual([moved.status, moved.body.message], [400, refusal(iid)]);
      await say('/close');
      const again = await scene.open(scene.owner, 'topic', { target_branch: 'release' });
      const reopened = await say('/reopen');
      assert.deepEqual([reopened.status, reopened.body.message], [400, refusal(again.iid)]);
      assert.equal((await now()).state, 'closed');
    });

    it('copy labels and milestone of another merge request or issue', async () => {
      const labelled = await scene.open(scene.owner, 'release', { labels: 'copied' });
      assert.equal(
        await summary(`/copy_metadata !${labelled.iid}`),
        `Copied labels and milestone from !${labelled.iid}.`,
      );
      assert.deepEqual((await now()).labels, ['copied']);
    });

    it('are executed in new and updated descriptions', async () => {
      const { username } = scene.developer.user;
      await scene.branch('described', 'd.txt', 'd\n');
      const description = `What it does\n\n/draft\n/label ~copied\n/assign_reviewer @${username}\n/estimate 2h\n/unsubscribe\n/merge`;
      const made = await scene.open(scene.owner, 'described', { description, assignee_ids: [scene.owner.user.id] });
      assert.deepEqual(
        [made.description, made.title, made.labels, made.time_stats.time_estimate, made.subscribed, made.state],
        ['What it does', 'Draft: Merge described', ['copied'], 7200, false, 'opened'],
      );
      assert.deepEqual(
        [made.reviewers, made.assignees].map((people) => people.map((each: { username: string }) => each.username)),
        [[username], [scene.owner.user.username]],
      );
      const change = { description: 'More of it\n/ready\n/unlabel ~copied\n/close', add_labels: 'kept' };
      const { body: changed } = await scene.api(scene.owner, `PUT ${scene.base}/${made.iid}`, { json: change });
      assert.deepEqual(
        [changed.description, changed.title, changed.labels, changed.state],
        ['More of it', 'Merge described', ['kept'], 'closed'],
      );
    });
  });
});
