import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { actorOnBehalfOf } from '../../../../src/access/actor.ts';
import { findUser } from '../../../../src/access/credentials/identify.ts';
import { projectSubject } from '../../../../src/access/subjects.ts';
import { armFault } from '../../../../src/platform/faults.ts';
import { performMerge } from '../../../../src/review/merge-requests/merge/perform.ts';
import { mergeSettings } from '../../../../src/review/merge-requests/settings.ts';
import { requestById, updateRequest } from '../../../../src/review/merge-requests/store.ts';
import { atOnce } from '../../../support/at-once.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../../support/merge-requests.ts';

forEachEngine((engine) => {
  describe('merging', () => {
    let scene: ReviewScene;

    const settle = () => scene.server.running.services.queue.drain();
    const get = async (path: string) => (await scene.api(scene.owner, `GET ${scene.base}/${path}`)).body;
    const merge = (iid: number, json: Record<string, unknown> = {}, person = scene.owner) =>
      scene.api(person, `PUT ${scene.base}/${iid}/merge`, { json });
    const set = (json: Record<string, unknown>) =>
      scene.server.must(`PUT /projects/${scene.project.id}`, { token: scene.owner.token, json });
    const commit = async (ref: string) =>
      (await scene.api(scene.owner, `GET /projects/${scene.project.id}/repository/commits/${ref}`)).body;
    let count = 0;
    /** Creates a merge request from a new branch off the current target. */
    const request = async (more: Record<string, unknown> = {}, content = 'x') => {
      count += 1;
      const name = `topic-${count}`;
      const url = `${scene.server.url}/${scene.owner.user.username}/${scene.project.path}.git`;
      await scene.git.git('fetch', '-q', url, '+main:refs/remotes/o/main');
      await scene.branch(name, `${name}.txt`, content, 'refs/remotes/o/main');
      return scene.open(scene.developer, name, more);
    };

    const assertAborted = async (iid: number, reason: string) => {
      const read = await get(`${iid}`);
      const off = [read.merge_when_pipeline_succeeds, read.merge_user, read.should_remove_source_branch];
      assert.deepEqual(off, [false, null, null], reason);
      const bodies = (await get(`${iid}/notes`)).map((note: { body: string }) => note.body);
      const response = bodies.filter((body: string) => body.startsWith('aborted'));
      assert.deepEqual(response, [`aborted the automatic merge because ${reason}`]);
    };

    before(async () => {
      scene = await reviewScene(engine);
    });

    it('creates a merge commit, deletes the branch and closes issues', async () => {
      const { owner, project, server } = scene;
      const issue = await server.must(`POST /projects/${project.id}/issues`, {
        token: owner.token,
        json: { title: 'Broken' },
      });
      const made = await request({ title: 'Mend it', description: `Closes #${issue.iid}`, remove_source_branch: true });
      const { status, body } = await merge(made.iid, { sha: made.sha });
      assert.equal(status, 200);
      assert.deepEqual([body.state, body.merged_by.id, body.merge_user.id], ['merged', owner.user.id, owner.user.id]);
      assert.deepEqual([body.detailed_merge_status, body.merge_error], ['not_open', null]);
      const landed = await commit('main');
      assert.equal(landed.id, body.merge_commit_sha);
      assert.deepEqual(landed.parent_ids[1], made.sha);
      assert.equal(
        landed.message,
        `Merge branch '${made.source_branch}' into 'main'\n\nMend it\n\nCloses #${issue.iid}\n\n` +
          `See merge request ${owner.user.username}/app!${made.iid}`,
      );
      await settle();
      const deleted = await scene.api(owner, `GET /projects/${project.id}/repository/branches/${made.source_branch}`);
      assert.equal(deleted.status, 404);
      const closed = await scene.api(owner, `GET /projects/${project.id}/issues/${issue.iid}`);
      assert.equal(closed.body.state, 'closed');
      assert.equal((await get(`${made.iid}`)).state, 'merged');
      assert.equal((await merge(made.iid)).status, 405);
    });

    it('checks preconditions in the documented order', async () => {
      const { reporter, developer, base } = scene;
      const made = await request({ title: 'Draft: not yet' });
      const unauthorized = await merge(made.iid, {}, reporter);
      assert.deepEqual([unauthorized.status, unauthorized.body], [401, { message: '401 Unauthorized' }]);
      assert.equal((await merge(made.iid, {}, developer)).status, 401, 'main is protected');
      const draft = await merge(made.iid, { sha: '0'.repeat(40) });
      assert.deepEqual([draft.status, draft.body], [405, { message: '405 Method Not Allowed' }]);
      await scene.api(developer, `PUT ${base}/${made.iid}`, { json: { title: 'Now' } });
      const moved = await merge(made.iid, { sha: made.sha.slice(0, 8) });
      assert.deepEqual(
        [moved.status, moved.body],
        [409, { message: `SHA does not match HEAD of source branch: ${made.sha}` }],
      );
      assert.equal((await merge(99_999)).status, 404);
      await scene.api(developer, `PUT ${base}/${made.iid}`, { json: { state_event: 'close' } });
      assert.equal((await merge(made.iid)).status, 405);
    });

    it('is rejected for a conflict', async () => {
      const [one, two] = [await request(), await request()];
      await scene.git.git('checkout', '-q', one.source_branch);
      await scene.git.commit({ 'README.md': 'eins\ntwo\nthree\n' });
      await scene.git.git('checkout', '-q', two.source_branch);
      await scene.git.commit({ 'README.md': 'ein\ntwo\nthree\n' });
      await scene.push(scene.owner, one.source_branch, two.source_branch);
      assert.equal((await merge(one.iid)).status, 200);
      const { status, body } = await merge(two.iid, { sha: 'nonsense' });
      assert.deepEqual([status, body], [422, { message: 'Branch cannot be merged' }]);
      assert.equal((await get(`${two.iid}`)).detailed_merge_status, 'conflict');
      assert.equal((await scene.api(scene.owner, `GET ${scene.base}/${two.iid}/merge_ref`)).status, 400);
    });

    it('happens once with concurrent requests', async () => {
      const made = await request();
      const before = await commit('main');
      const answers = await atOnce(4, () => merge(made.iid));
      const statuses = answers.map(({ status }) => status).sort();
      assert.equal(statuses[0], 200);
      assert.ok(
        statuses.every((status) => [200, 405, 422].includes(status)),
        statuses.join(),
      );
      const landed = await commit('main');
      assert.equal(landed.parent_ids[0], before.id);
      assert.equal((await get(`${made.iid}`)).merge_commit_sha, landed.id);
    });

    it('of several into one branch at once loses none', async () => {
      const made = [await request(), await request(), await request()];
      const answers = await Promise.all(made.map(({ iid }) => merge(iid)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200],
      );
      for (const { source_branch } of made) {
        const file = `GET /projects/${scene.project.id}/repository/files/${source_branch}.txt?ref=main`;
        assert.equal((await scene.api(scene.owner, file)).status, 200);
      }
    });

    it('of two conflicting merge requests accepts one and detects the conflict of the other', async () => {
      const url = `${scene.server.url}/${scene.owner.user.username}/${scene.project.path}.git`;
      await scene.git.git('fetch', '-q', url, '+main:refs/remotes/o/main');
      const made = [];
      for (const side of ['one', 'two']) {
        await scene.branch(`clash-${side}`, 'clash.txt', side, 'refs/remotes/o/main');
        made.push(await scene.open(scene.developer, `clash-${side}`));
      }
      const answers = await Promise.all(made.map(({ iid }) => merge(iid)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422]);
      await settle();
      const other = made[answers.findIndex(({ status }) => status === 422)];
      const after = await get(`${other.iid}`);
      assert.deepEqual([after.state, after.detailed_merge_status, after.has_conflicts], ['opened', 'conflict', true]);
    });

    it('reopens the merge request if it fails', async () => {
      const made = await request();
      const before = await commit('main');
      const disarm = armFault('push.recorded', () => {
        throw new Error('the disk is full');
      });
      const failed = await merge(made.iid);
      disarm();
      assert.equal(failed.status, 500);
      const read = await get(`${made.iid}`);
      assert.deepEqual([read.state, typeof read.merge_error], ['opened', 'string']);
      assert.equal((await commit('main')).id, before.id);
      const { status, body } = await merge(made.iid);
      assert.deepEqual([status, body.state, body.merge_error], [200, 'merged', null]);
    });

    it('leaves the merge request to another merge that has locked it, even with the same resulting commit', async () => {
      const { services } = scene.server.running;
      const { read } = services.db;
      const made = await request();
      const [user, opened] = [await findUser(read, scene.owner.user.id), await requestById(read, made.id)];
      assert.ok(user && opened);
      const merger = actorOnBehalfOf(user);
      // A fast-forward merge always results in the head of the source.
      const settings = { ...mergeSettings({}), method: 'ff' as const };
      const held = { state: 'locked', landed_sha: made.sha, landing: 'of the other' } as const;
      await services.db.write((trx) => updateRequest(trx, made.id, held));
      for (const step of ['merge.prepared', 'push.checked']) {
        const disarm = armFault(step, () => {
          throw new Error('the other one was faster');
        });
        const subject = await projectSubject(read, merger, scene.project);
        const call = { merger, subject, settings, messages: {}, removeSource: false };
        await assert.rejects(performMerge(services, opened, call), /the other one was faster/);
        disarm();
        const row = await requestById(read, made.id);
        assert.deepEqual([row?.state, row?.landed_sha, row?.landing], Object.values(held), step);
        assert.equal(row?.merge_error, null);
      }
      const free = { state: 'opened', landed_sha: null, landing: null } as const;
      await services.db.write((trx) => updateRequest(trx, made.id, free));
      assert.equal((await merge(made.iid)).body.state, 'merged');
    });

    it('squashes commits', async () => {
      const made = await request({ title: 'All in one', squash: true });
      await scene.git.commit({ 'second.txt': '2' }, 'Second');
      await scene.push(scene.owner, made.source_branch);
      const { body } = await merge(made.iid);
      assert.equal(body.state, 'merged');
      const squashed = await commit(body.squash_commit_sha);
      assert.deepEqual([squashed.title, squashed.parent_ids.length], ['All in one', 1]);
      assert.equal(squashed.author_name, scene.developer.user.name);
      const landed = await commit('main');
      assert.deepEqual([landed.id, landed.parent_ids[1]], [body.merge_commit_sha, body.squash_commit_sha]);
    });

    it('follows the squash setting of the project', async () => {
      await set({ squash_option: 'always' });
      const made = await request({ squash: false });
      assert.deepEqual([made.squash, made.squash_on_merge], [false, true]);
      const refused = await merge(made.iid, { squash: false });
      assert.deepEqual([refused.status, refused.body], [422, { message: 'Branch cannot be merged' }]);
      const read = await get(`${made.iid}`);
      assert.deepEqual(
        [read.state, read.merge_error],
        ['opened', 'This project requires squashing commits when merge requests are accepted.'],
      );
      const { body } = await merge(made.iid, { squash: true });
      assert.deepEqual([body.state, typeof body.squash_commit_sha, body.merge_error], ['merged', 'string', null]);
      await set({ squash_option: 'default_off' });
    });

    it('uses the given messages or templates', async () => {
      await set({ merge_commit_template: '%{title} (%{local_reference})\n\n%{issues}', squash_commit_template: null });
      const made = await request({ title: 'Said' });
      const begun = { merge_commit_message: `Said (!${made.iid})`, squash_commit_message: 'Said' };
      assert.deepEqual(await get(`${made.iid}/default_messages`), begun);
      const anonymous = await scene.server.api(`GET ${scene.base}/${made.iid}/default_messages`, { token: null });
      assert.equal(anonymous.status, 401);
      await merge(made.iid);
      assert.equal((await commit('main')).message, `Said (!${made.iid})`);
      const other = await request();
      await merge(other.iid, { merge_commit_message: 'Mine' });
      assert.equal((await commit('main')).message, 'Mine');
      await set({ merge_commit_template: '' });
    });

    it('by fast-forward only moves the target', async () => {
      await set({ merge_method: 'ff' });
      const [one, two] = [await request(), await request()];
      const first = await merge(one.iid);
      assert.deepEqual([first.body.state, first.body.merge_commit_sha], ['merged', null]);
      assert.equal((await commit('main')).id, one.sha);
      await settle();
      assert.equal((await get(`${two.iid}`)).detailed_merge_status, 'need_rebase');
      assert.equal((await merge(two.iid)).status, 422);
      const rebase = await scene.api(scene.developer, `PUT ${scene.base}/${two.iid}/rebase`);
      assert.deepEqual([rebase.status, rebase.body], [202, { rebase_in_progress: true }]);
      await settle();
      const rebased = await get(`${two.iid}?include_rebase_in_progress=true`);
      assert.deepEqual([rebased.rebase_in_progress, rebased.merge_error], [false, null]);
      assert.equal(rebased.detailed_merge_status, 'mergeable');
      const tip = await commit(rebased.sha);
      assert.deepEqual([tip.parent_ids[0], tip.committer_name], [one.sha, scene.developer.user.name]);
      assert.equal(tip.author_name, 'Ann Author');
      assert.equal((await merge(two.iid, { sha: rebased.sha })).status, 200);
      await set({ merge_method: 'rebase_merge' });
      const three = await request();
      const merged = await merge(three.iid);
      assert.equal((await commit('main')).id, merged.body.merge_commit_sha);
      await set({ merge_method: 'merge' });
    });

    it('rejects rebases without permission or for an unsuitable state', async () => {
      const { reporter, owner, base } = scene;
      const made = await request();
      const call = (person = owner) => scene.api(person, `PUT ${base}/${made.iid}/rebase`);
      assert.deepEqual((await call(reporter)).body, { message: '403 Forbidden - Cannot push to source branch' });
      await scene.api(owner, `PUT ${base}/${made.iid}`, { json: { state_event: 'close' } });
      assert.deepEqual((await call()).body, { message: '409 Conflict: Resource lock' });
      await scene.push(owner, `:${made.source_branch}`);
      assert.deepEqual((await call()).body, { message: '403 Forbidden - Source branch does not exist' });
    });

    it('waits for threads, titles and times if configured', async () => {
      await set({ only_allow_merge_if_all_discussions_are_resolved: true });
      const made = await request();
      await scene.server.db.write((trx) =>
        trx
          .insertInto('notes')
          .values({
            noteable_type: 'MergeRequest',
            noteable_id: made.id,
            commit_id: null,
            project_id: scene.project.id,
            namespace_id: null,
            type: 'DiscussionNote',
            discussion_id: 'a'.repeat(40),
            author_id: scene.owner.user.id,
            body: 'Why?',
            created_at: 1,
            updated_at: 1,
          })
          .execute(),
      );
      const read = await get(`${made.iid}`);
      assert.deepEqual(
        [read.detailed_merge_status, read.blocking_discussions_resolved],
        ['discussions_not_resolved', false],
      );
      assert.equal((await merge(made.iid)).status, 405);
      await set({
        only_allow_merge_if_all_discussions_are_resolved: false,
        only_allow_merge_if_pipeline_succeeds: true,
      });
      assert.equal((await get(`${made.iid}`)).detailed_merge_status, 'ci_must_pass');
      assert.equal((await merge(made.iid)).status, 405);
      await set({ only_allow_merge_if_pipeline_succeeds: false });
      assert.equal((await merge(made.iid)).status, 200);
    });

    it('happens automatically once nothing blocks it', async () => {
      const { owner, developer, base } = scene;
      const made = await request({ title: 'Draft: later' });
      const later = await merge(made.iid, { auto_merge: true, merge_commit_message: 'By itself' });
      assert.deepEqual(
        [later.status, later.body.state, later.body.merge_when_pipeline_succeeds, later.body.merge_user.id],
        [200, 'opened', true, owner.user.id],
      );
      const cancel = () => scene.api(developer, `POST ${base}/${made.iid}/cancel_merge_when_pipeline_succeeds`);
      const canceled = await cancel();
      assert.deepEqual([canceled.status, canceled.body], [201, { status: 'success' }]);
      assert.equal((await cancel()).status, 406);
      await merge(made.iid, { merge_when_pipeline_succeeds: true, merge_commit_message: 'By itself' });
      await scene.api(developer, `PUT ${base}/${made.iid}`, { json: { title: 'Now' } });
      await settle();
      assert.equal((await get(`${made.iid}`)).state, 'merged');
      assert.equal((await commit('main')).message, 'By itself');
    });

    it('is no longer automatic after a push', async () => {
      const made = await request({ title: 'Draft: later' });
      await merge(made.iid, { auto_merge: true });
      await scene.git.commit({ 'more.txt': `${count}` });
      await scene.push(scene.owner, made.source_branch);
      await settle();
      await assertAborted(made.iid, 'source branch was updated');
    });

    it('is no longer automatic after retargeting or closing, with a system note', async () => {
      for (const [json, reason] of [
        [{ target_branch: 'elsewhere' }, 'target branch was changed'],
        [{ state_event: 'close' }, 'merge request was closed'],
      ] as const) {
        const made = await request({ title: 'Draft: later' });
        await merge(made.iid, { auto_merge: true, should_remove_source_branch: true });
        await scene.api(scene.developer, `PUT ${scene.base}/${made.iid}`, { json });
        await assertAborted(made.iid, reason);
      }
    });

    it('is no longer automatic if a rebase is needed', async () => {
      await set({ merge_method: 'ff' });
      const [first, made] = [await request(), await request({ title: 'Draft: later' })];
      await merge(made.iid, { auto_merge: true });
      await merge(first.iid);
      await settle();
      await scene.api(scene.developer, `PUT ${scene.base}/${made.iid}`, { json: { title: 'Now' } });
      await settle();
      await assertAborted(made.iid, 'target branch was updated');
      await set({ merge_method: 'merge' });
    });

    it('retargets merge requests into the deleted branch', async () => {
      const made = await request({ remove_source_branch: true });
      await scene.branch('chained', 'chained.txt', 'c', made.source_branch);
      const more = { target_branch: made.source_branch, title: 'Draft: chained' };
      const chained = await scene.open(scene.developer, 'chained', more);
      await merge(chained.iid, { auto_merge: true, should_remove_source_branch: true });
      await merge(made.iid);
      await settle();
      const read = await get(`${chained.iid}`);
      assert.deepEqual([read.state, read.target_branch, read.changes_count], ['opened', 'main', '1']);
      await assertAborted(chained.iid, 'target branch was merged');
    });
  });
});
