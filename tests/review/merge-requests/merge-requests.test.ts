import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';

forEachEngine((engine) => {
  describe('merge requests', () => {
    let scene: ReviewScene;

    before(async () => {
      scene = await reviewScene(engine);
      for (const name of ['first', 'second', 'third', 'fourth', 'fifth']) {
        await scene.branch(name, `${name}.txt`, `${name}\n`);
      }
    });

    it('are created with all attributes', async () => {
      const { developer, reporter, owner, project, git } = scene;
      const head = await git.git('rev-parse', 'first');
      const base = await git.git('rev-parse', 'main');
      const body = await scene.open(developer, 'first', {
        title: ' Draft: First ',
        description: '- [x] one\n- [ ] two',
        labels: 'bug,Zeta',
        assignee_ids: [owner.user.id],
        reviewer_ids: [reporter.user.id],
        remove_source_branch: true,
        squash: true,
      });
      assert.deepEqual(
        [body.iid, body.title, body.state, body.draft, body.work_in_progress, body.project_id, body.target_project_id],
        [1, 'Draft: First', 'opened', true, true, project.id, project.id],
      );
      assert.deepEqual(body.labels, ['Zeta', 'bug']);
      assert.deepEqual([body.assignee.id, body.assignees.length], [owner.user.id, 1]);
      assert.equal(body.reviewers[0].id, reporter.user.id);
      assert.deepEqual([body.squash, body.force_remove_source_branch, body.subscribed], [true, true, true]);
      assert.equal(body.should_remove_source_branch, null);
      assert.deepEqual([body.sha, body.changes_count], [head, '1']);
      assert.deepEqual(body.diff_refs, { base_sha: base, head_sha: head, start_sha: base });
      assert.deepEqual([body.merge_status, body.detailed_merge_status], ['can_be_merged', 'draft_status']);
      assert.deepEqual(body.task_completion_status, { count: 2, completed_count: 1 });
      assert.deepEqual(body.references, { short: '!1', relative: '!1', full: `${owner.user.username}/app!1` });
      assert.equal(body.pipeline, null);
      assert.equal(body.head_pipeline, null);
      assert.equal(body.allow_collaboration, false);
      assert.ok(body.prepared_at);
    });

    it('are visible to everyone who can see the project', async () => {
      const read = await scene.api(null, `GET ${scene.base}/1`);
      assert.equal(read.status, 200);
      assert.deepEqual([read.body.user, read.body.first_contribution], [{ can_merge: false }, true]);
      assert.equal('rebase_in_progress' in read.body, false);
      const requested = `GET ${scene.base}/1?include_rebase_in_progress=true&include_diverged_commits_count=true&render_html=true`;
      const more = await scene.api(scene.owner, requested);
      assert.deepEqual([more.body.rebase_in_progress, more.body.diverged_commits_count], [false, 0]);
      assert.deepEqual([more.body.title_html, more.body.user.can_merge], ['Draft: First', true]);
      assert.match(more.body.description_html, /<ul/);
      const missing = await scene.api(scene.owner, `GET ${scene.base}/99`);
      assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
    });

    it('are rejected for invalid branches or missing permissions', async () => {
      const { developer, reporter, outsider, base } = scene;
      const create = (json: Record<string, unknown>, person = developer) =>
        scene.api(person, `POST ${base}`, { json: { title: 'x', target_branch: 'main', ...json } });
      const again = await create({ source_branch: 'first' });
      const open = 'Another open merge request already exists for this source branch: !1';
      assert.deepEqual([again.status, again.body], [409, { message: [open] }]);
      const same = await create({ source_branch: 'main' });
      assert.deepEqual(
        [same.status, same.body],
        [422, { message: ["You can't use same project/branch for source and target"] }],
      );
      const untitled = await scene.api(developer, `POST ${base}`, {
        json: { source_branch: 'second', target_branch: 'main' },
      });
      assert.deepEqual([untitled.status, untitled.body], [400, { error: 'title is missing' }]);
      const long = await create({ source_branch: 'second', title: 'x'.repeat(256) });
      assert.deepEqual(long.body, { message: { title: ['is too long (maximum is 255 characters)'] } });
      for (const source_branch of ['-x', 'refs/heads/', 'refs/heads/a..b']) {
        const odd = await create({ source_branch });
        assert.deepEqual([odd.status, odd.body], [400, { message: { source_branch: ['is invalid'] } }]);
      }
      const both = await create({ source_branch: 'a..b', target_branch: 'c d' });
      assert.deepEqual(both.body, { message: { source_branch: ['is invalid'], target_branch: ['is invalid'] } });
      const huge = await create({ source_branch: 'second', description: 'x'.repeat(1_048_577) });
      assert.deepEqual([huge.status, Object.keys(huge.body.message)], [400, ['description']]);
      assert.equal((await create({ source_branch: 'second', target_project_id: 999_999 })).status, 404);
      assert.equal((await create({ source_branch: 'second' }, reporter)).status, 403);
      assert.equal((await create({ source_branch: 'second' }, outsider)).status, 403);
      assert.equal((await scene.api(null, `POST ${base}`, { json: { title: 'x' } })).status, 401);
    });

    it('accept branches that do not exist', async () => {
      const body = await scene.open(scene.developer, 'nowhere');
      assert.deepEqual([body.sha, body.diff_refs, body.changes_count], [null, null, null]);
      assert.deepEqual([body.merge_status, body.detailed_merge_status], ['cannot_be_merged', 'commits_status']);
      assert.equal(body.has_conflicts, true);
    });

    it('are unique when created concurrently', async () => {
      const answers = await atOnce(4, () =>
        scene.api(scene.developer, `POST ${scene.base}`, {
          json: { source_branch: 'second', target_branch: 'main', title: 'Second' },
        }),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    });

    it('can be updated, with system notes', async () => {
      const { developer, owner, reporter, base } = scene;
      const { iid } = await scene.open(developer, 'third', { labels: 'old' });
      const update = (json: Record<string, unknown>, person = developer) =>
        scene.api(person, `PUT ${base}/${iid}`, { json });
      const changed = await update({
        title: 'Draft: Another',
        description: 'Said',
        add_labels: ['new'],
        remove_labels: ['old'],
        assignee_id: owner.user.id,
        reviewer_ids: [owner.user.id, reporter.user.id],
        discussion_locked: true,
        remove_source_branch: false,
        squash: true,
        merge_after: '2099-01-01T00:00:00Z',
      });
      assert.equal(changed.status, 200);
      const { body } = changed;
      assert.deepEqual([body.title, body.description, body.labels], ['Draft: Another', 'Said', ['new']]);
      assert.deepEqual([body.discussion_locked, body.force_remove_source_branch, body.squash], [true, false, true]);
      assert.deepEqual([body.merge_after, body.detailed_merge_status], ['2099-01-01T00:00:00.000Z', 'merge_time']);
      const unread = await scene.api(developer, `PUT ${base}/${iid}`, { json: { merge_after: 'soon' } });
      assert.deepEqual([unread.status, unread.body], [400, { message: { merge_after: ['is invalid'] } }]);
      const notes = await scene.server.must(`GET ${base}/${iid}/notes?sort=asc`, { token: developer.token });
      const response = notes.map((note: { body: string }) => note.body);
      assert.ok(response.includes('marked this merge request as **draft**'));
      assert.ok(response.includes('changed the description'));
      assert.ok(response.includes(`assigned to @${owner.user.username}`));
      assert.ok(response.includes('locked the discussion in this merge request'));
      assert.ok(response.some((text: string) => text.startsWith('requested review from @')));
      const none = await update({});
      assert.equal(none.status, 400);
      assert.match(none.body.error, /^assignee_id, assignee_ids, .* are missing, at least one parameter/);
      assert.deepEqual((await update({ title: '' })).body, { error: 'title is empty' });
      assert.equal((await update({ state_event: 'merge' })).status, 400);
      assert.equal((await update({ title: 'no' }, reporter)).status, 403);
    });

    it('can be closed and reopened, and stay unique', async () => {
      const { developer, base } = scene;
      const { iid } = await scene.open(developer, 'fourth');
      const event = (state_event: string, number = iid) =>
        scene.api(developer, `PUT ${base}/${number}`, { json: { state_event } });
      const closed = await event('close');
      assert.deepEqual([closed.body.state, closed.body.closed_by.id], ['closed', developer.user.id]);
      assert.equal(closed.body.detailed_merge_status, 'not_open');
      const other = await scene.open(developer, 'fourth');
      assert.equal((await event('reopen')).status, 409);
      await event('close', other.iid);
      const open = await event('reopen');
      assert.deepEqual([open.body.state, open.body.closed_by, open.body.closed_at], ['opened', null, null]);
      assert.equal(open.body.detailed_merge_status, 'mergeable');
    });

    it('can only be changed by developers', async () => {
      const { owner, outsider, base } = scene;
      const { iid } = await scene.open(owner, 'fifth');
      const put = (json: Record<string, unknown>) => scene.api(outsider, `PUT ${base}/${iid}`, { json });
      assert.equal((await put({ title: 'mine' })).status, 403);
      assert.equal((await scene.api(outsider, `POST ${base}/${iid}/subscribe`)).status, 403);
      assert.equal((await scene.api(null, `PUT ${base}/${iid}`, { json: { title: 'x' } })).status, 401);
    });

    it('subscribe commenters, unless they have unsubscribed', async () => {
      const { owner, developer, base } = scene;
      const { iid } = await scene.open(developer, 'spoken-of');
      const call = (path: string) => scene.api(owner, `POST ${base}/${iid}/${path}`);
      assert.equal((await call('unsubscribe')).status, 304);
      await call('notes?body=Said');
      assert.equal((await call('subscribe')).status, 304);
      assert.equal((await call('unsubscribe')).body.subscribed, false);
    });

    it('support subscriptions, to-do items and time tracking', async () => {
      const { owner, developer, base } = scene;
      const call = (path: string, json?: Record<string, unknown>, person = owner) =>
        scene.api(person, `POST ${base}/1/${path}`, json ? { json } : {});
      assert.equal((await call('subscribe')).status, 304);
      assert.equal((await call('unsubscribe')).body.subscribed, false);
      assert.equal((await call('subscribe')).status, 201);
      const todo = await call('todo', undefined, developer);
      assert.deepEqual([todo.status, todo.body.target_type], [201, 'MergeRequest']);
      assert.equal((await call('todo', undefined, developer)).status, 304);
      const estimate = await call('time_estimate', { duration: '3h30m' });
      assert.deepEqual([estimate.status, estimate.body.human_time_estimate], [200, '3h 30m']);
      assert.equal((await call('add_spent_time', { duration: '1h' })).status, 201);
      const stats = await scene.api(null, `GET ${base}/1/time_stats`);
      assert.deepEqual([stats.body.time_estimate, stats.body.total_time_spent], [12_600, 3600]);
      const people = await scene.api(null, `GET ${base}/1/participants`);
      assert.equal(people.body.length, 3);
      const reviewers = await scene.api(null, `GET ${base}/1/reviewers`);
      assert.deepEqual([reviewers.body.length, reviewers.body[0].state], [1, 'unreviewed']);
    });

    it('have notes', async () => {
      const { reporter, outsider, developer, base } = scene;
      const notes = `${base}/1/notes`;
      const note = await scene.api(outsider, `POST ${notes}`, { json: { body: 'Nice' } });
      assert.deepEqual([note.status, note.body.noteable_type, note.body.noteable_iid], [201, 'MergeRequest', 1]);
      assert.equal((await scene.api(null, `GET ${notes}`)).status, 401);
      assert.equal((await scene.api(outsider, `POST ${notes}`, { json: { body: '' } })).status, 400);
      const one = `${notes}/${note.body.id}`;
      assert.equal((await scene.api(reporter, `PUT ${one}`, { json: { body: 'Not mine' } })).status, 403);
      assert.equal((await scene.api(outsider, `PUT ${one}`, { json: { body: 'Nicer' } })).body.body, 'Nicer');
      assert.equal((await scene.api(developer, `GET ${base}/1`)).body.user_notes_count, 1);
      assert.equal((await scene.api(outsider, `DELETE ${one}`)).status, 204);
      assert.equal((await scene.api(outsider, `GET ${one}`)).status, 404);
      assert.equal((await scene.api(developer, `GET ${base}/1`)).body.user_notes_count, 0);
    });

    it('can only be deleted by owners', async () => {
      const { owner, developer, base } = scene;
      assert.equal((await scene.api(developer, `DELETE ${base}/1`)).status, 403);
      const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
      assert.equal((await scene.api(owner, `DELETE ${base}/1`, { headers })).status, 412);
      assert.equal((await scene.api(owner, `DELETE ${base}/1`)).status, 204);
      assert.equal((await scene.api(owner, `GET ${base}/1`)).status, 404);
    });

    it('are limited in the number of labels', async () => {
      await scene.branch('labelled', 'labelled.txt', 'l');
      const labels = Array.from({ length: 20_000 }, (_, n) => `l${n}`).join();
      const json = { source_branch: 'labelled', target_branch: 'main', title: 'Labelled', labels };
      const refused = await scene.api(scene.owner, `POST ${scene.base}`, { json });
      assert.deepEqual(
        [refused.status, refused.body],
        [400, { message: { labels: ['total must be less than or equal to 500'] } }],
      );
      const made = await scene.open(scene.owner, 'labelled');
      const added = await scene.api(scene.owner, `PUT ${scene.base}/${made.iid}`, { json: { add_labels: labels } });
      assert.equal(added.status, 400);
      const left = await scene.api(scene.owner, `GET /projects/${scene.project.id}/labels?search=l1999`);
      assert.deepEqual(left.body, []);
    });
  });
});
