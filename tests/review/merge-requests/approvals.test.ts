import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { withCredentials } from '../../support/git-client.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import type { Person } from '../../support/scene.ts';
import { rootToken } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('approvals', () => {
    let scene: ReviewScene;
    let sha: string;

    const one = () => `${scene.base}/1`;
    const post = (person: Person | null, action: string, json: Record<string, unknown> = {}) =>
      scene.api(person, `POST ${one()}/${action}`, { json });
    const get = async (path: string) => (await scene.api(scene.owner, `GET ${path}`)).body;
    const rules = () => `/projects/${scene.project.id}/approval_rules`;

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('topic', 'a.txt', 'a');
      sha = (await scene.open(scene.developer, 'topic', { reviewer_ids: [scene.owner.user.id] })).sha;
    });

    it('can be given once, by members who may update the merge request, for the current head', async () => {
      const { owner, outsider, reporter } = scene;
      assert.equal((await post(null, 'approve')).status, 401);
      assert.equal((await post(outsider, 'approve')).status, 403);
      assert.equal((await post(reporter, 'approve')).status, 403);
      assert.equal((await post(owner, 'approve', { sha: '0'.repeat(40) })).status, 409);
      const none = await get(`${one()}/approvals`);
      assert.deepEqual([none.approved, none.user_can_approve, none.approved_by], [false, true, []]);
      const requested = async () => (await scene.api(owner, 'GET /todos?action=review_requested')).body.length;
      assert.equal(await requested(), 1);
      const answers = await atOnce(3, () => post(owner, 'approve', { sha }));
      assert.equal(await requested(), 0, 'approving completes the to-do item');
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 401, 401]);
      const given = await get(`${one()}/approvals`);
      assert.deepEqual(
        [given.approved, given.user_has_approved, given.user_can_approve, given.approved_by[0].user.id],
        [true, true, false, owner.user.id],
      );
      assert.equal((await get(`${one()}/reviewers`))[0].state, 'approved');
      const listed = await get(`${scene.base}?approved_by_ids[]=${owner.user.id}`);
      assert.equal(listed.length, 1);
      assert.deepEqual(await get(`${scene.base}?approved_by_usernames=anonymous`), []);
    });

    it('can be removed', async () => {
      assert.equal((await post(scene.owner, 'unapprove')).body.approved, false);
      const again = await post(scene.owner, 'unapprove');
      assert.deepEqual([again.status, again.body], [404, { message: '404 Not Found' }]);
      assert.equal((await scene.api(scene.owner, `PUT ${one()}/reset_approvals`)).status, 401);
    });

    it('can be required by rules, and block merging', async () => {
      const { owner, developer, reporter } = scene;
      const made = await scene.api(owner, `POST ${rules()}`, {
        json: { name: 'Owners', approvals_required: 1, user_ids: [owner.user.id] },
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      assert.deepEqual([made.body.rule_type, made.body.users[0].id], ['regular', owner.user.id]);
      assert.equal(
        (await scene.api(developer, `POST ${rules()}`, { json: { name: 'x', approvals_required: 1 } })).status,
        403,
      );
      assert.equal((await scene.api(reporter, `GET ${rules()}`)).status, 403);
      const missing = await scene.api(owner, `POST ${rules()}`, { json: { name: 'x' } });
      assert.deepEqual([missing.status, missing.body], [400, { error: 'approvals_required is missing' }]);
      assert.equal((await get(one())).detailed_merge_status, 'not_approved');
      assert.equal((await scene.api(owner, `PUT ${one()}/merge`)).status, 405);
      await post(developer, 'approve');
      assert.equal((await get(one())).detailed_merge_status, 'not_approved', 'another user approved');
      await post(owner, 'approve');
      assert.equal((await get(one())).detailed_merge_status, 'mergeable');
      const state = await get(`${one()}/approval_state`);
      assert.deepEqual([state.rules[0].approved, state.rules[0].approved_by.length], [true, 1]);
    });

    it('can be given by approvers of a rule without other permissions', async () => {
      const { owner, developer, reporter } = scene;
      await scene.branch('named', 'n.txt', 'n');
      const { iid } = await scene.open(developer, 'named');
      const path = `${scene.base}/${iid}`;
      const approve = () => scene.api(reporter, `POST ${path}/approve`);
      assert.equal((await approve()).status, 403);
      const named = { name: 'Readers', approvals_required: 1, user_ids: [reporter.user.id] };
      await scene.server.must(`POST ${path}/approval_rules`, { token: owner.token, json: named });
      assert.equal((await scene.api(reporter, `GET ${path}/approvals`)).body.user_can_approve, true);
      assert.equal((await approve()).status, 201);
      const { rules: judged } = await get(`${path}/approval_state`);
      assert.equal(judged.find((rule: { name: string }) => rule.name === 'Readers').approved, true);
      assert.equal((await scene.api(reporter, `POST ${path}/unapprove`)).status, 201);
      assert.equal((await scene.api(scene.outsider, `POST ${path}/approve`)).status, 403);
    });

    it('are reset by a push of other commits', async () => {
      await scene.git.git('checkout', '-q', 'topic');
      await scene.git.commit({ 'b.txt': 'b' });
      await scene.push(scene.developer, 'topic');
      assert.equal((await get(one())).detailed_merge_status, 'not_approved');
      assert.deepEqual((await get(`${one()}/approvals`)).approved_by, []);
    });

    it('are kept by a rebase on the server, and reset by a later push of that head', async () => {
      const { developer, owner } = scene;
      const settings = (json: object) => scene.api(owner, `POST /projects/${scene.project.id}/approvals`, { json });
      await scene.branch('rebased', 'rebased.txt', 'r');
      const { iid, sha: first } = await scene.open(developer, 'rebased');
      const at = `${scene.base}/${iid}`;
      const given = async () => (await get(`${at}/approvals`)).approved_by.length;
      const moveMain = async (file: string) => {
        await scene.branch('main', file, file);
        await scene.server.running.services.queue.drain();
      };
      await moveMain('moved.txt');
      assert.equal((await scene.api(owner, `POST ${at}/approve`)).status, 201);
      assert.equal((await scene.api(developer, `PUT ${at}/rebase`)).status, 202);
      await scene.server.running.services.queue.drain();
      const { sha: head } = await get(at);
      assert.notEqual(head, first);
      assert.equal(await given(), 1);
      await settings({ reset_approvals_on_push: false, merge_requests_disable_committers_approval: true });
      await moveMain('again.txt');
      assert.equal((await scene.api(owner, `PUT ${at}/rebase`)).status, 202);
      await scene.server.running.services.queue.drain();
      assert.equal(await given(), 1, 'rebasing does not make a user a committer');
      await settings({ reset_approvals_on_push: true, merge_requests_disable_committers_approval: false });
      const { sha: rebased } = await get(at);
      const path = `${owner.user.username}/${scene.project.path}`;
      await scene.git.git(
        'fetch',
        '-q',
        withCredentials(scene.server.url, path, owner.user.username, owner.token),
        'rebased',
      );
      await scene.git.git('checkout', '-q', '-B', 'rebased', 'FETCH_HEAD');
      await scene.git.commit({ 'more.txt': 'm' });
      await scene.push(developer, 'rebased');
      await scene.server.running.services.queue.drain();
      assert.equal(await given(), 0);
      assert.equal((await scene.api(owner, `POST ${at}/approve`)).status, 201);
      await scene.push(developer, `+${rebased}:refs/heads/rebased`);
      await scene.server.running.services.queue.drain();
      assert.deepEqual([(await get(at)).sha, await given()], [rebased, 0]);
    });

    it('are kept by pushes after which the merge request changes the same lines', async () => {
      const { developer, owner, git } = scene;
      const settings = (json: object) => scene.api(owner, `POST /projects/${scene.project.id}/approvals`, { json });
      await scene.branch('moving', 'moving.txt', 'one\n');
      const { iid } = await scene.open(developer, 'moving');
      const at = `${scene.base}/${iid}`;
      const approve = () => scene.api(owner, `POST ${at}/approve`);
      const given = async () => (await get(`${at}/approvals`)).approved_by.length;
      const pushed = async () => {
        await scene.push(developer, '+HEAD:refs/heads/moving');
        await scene.server.running.services.queue.drain();
        assert.equal((await get(at)).sha, await git.git('rev-parse', 'HEAD'));
        return given();
      };
      await approve();
      await scene.branch('main', 'meanwhile.txt', 'm');
      await git.git('checkout', '-q', 'moving');
      await git.git('rebase', '-q', 'main');
      assert.equal(await pushed(), 1, 'after a rebase');
      await scene.branch('main', 'later.txt', 'l');
      await git.git('checkout', '-q', 'moving');
      await git.git('merge', '-q', '--no-edit', 'main');
      assert.equal(await pushed(), 1, 'after a merge of the target');
      await git.git('commit', '-q', '--amend', '--message', 'In other words');
      assert.equal(await pushed(), 1, 'after other words');
      await settings({ reset_approvals_on_push: false, merge_requests_disable_committers_approval: true });
      await git.git('commit', '-q', '--amend', '--message', 'In more words');
      await scene.push(owner, '+HEAD:refs/heads/moving');
      await scene.server.running.services.queue.drain();
      assert.equal(await given(), 0, 'after a push of the approver');
      await settings({ reset_approvals_on_push: true, merge_requests_disable_committers_approval: false });
      await approve();
      await git.commit({ 'moving.txt': ' one\n' });
      assert.equal(await pushed(), 0, 'after a change of white space');
      await approve();
      await git.git('reset', '-q', '--hard', 'HEAD^');
      assert.equal(await pushed(), 0, 'after a return to what was approved before');
    });

    it('are reset by a new target branch that lacks other commits', async () => {
      const { developer, owner } = scene;
      const settings = (json: object) => scene.api(owner, `POST /projects/${scene.project.id}/approvals`, { json });
      await scene.branch('side', 'unseen.txt', 'u');
      await scene.branch('above', 'seen.txt', 's', 'side');
      const { iid } = await scene.open(developer, 'above', { target_branch: 'side' });
      const approve = () => scene.api(owner, `POST ${scene.base}/${iid}/approve`);
      const given = async () => (await get(`${scene.base}/${iid}/approvals`)).approved_by.length;
      const into = (target_branch: string) =>
        scene.api(developer, `PUT ${scene.base}/${iid}`, { json: { target_branch } });
      await approve();
      await into('side');
      assert.equal(await given(), 1);
      await into('main');
      assert.equal(await given(), 0);
      await into('side');
      await approve();
      await settings({ reset_approvals_on_push: false });
      await into('main');
      assert.equal(await given(), 1, 'the project retains approvals');
      await settings({ reset_approvals_on_push: true });
      await into('side');
      await approve();
      const below = await scene.open(developer, 'side');
      const json = { should_remove_source_branch: true };
      for (const { id } of await get(rules())) await scene.api(owner, `DELETE ${rules()}/${id}`);
      assert.equal((await scene.api(owner, `PUT ${scene.base}/${below.iid}/merge`, { json })).status, 200);
      await scene.server.running.services.queue.drain();
      assert.equal((await get(`${scene.base}/${iid}`)).target_branch, 'main');
      assert.equal(await given(), 0);
      const again = { name: 'Owners', approvals_required: 1, user_ids: [owner.user.id] };
      assert.equal((await scene.api(owner, `POST ${rules()}`, { json: again })).status, 201);
    });

    it('rules can be overridden for one merge request', async () => {
      const [rule] = await get(`${one()}/approval_rules`);
      const changed = await scene.api(scene.developer, `PUT ${one()}/approval_rules/${rule.id}`, {
        json: { name: rule.name, approvals_required: 0 },
      });
      assert.deepEqual([changed.status, changed.body.approvals_required, changed.body.overridden], [200, 0, true]);
      assert.equal((await get(one())).detailed_merge_status, 'mergeable');
      assert.equal((await get(`${rules()}/${rule.id}`)).approvals_required, 1);
      assert.equal((await scene.api(scene.owner, `DELETE ${rules()}/${rule.id}`)).status, 204);
      assert.equal((await scene.api(scene.owner, `GET ${rules()}/${rule.id}`)).status, 404);
    });

    // Renovate does this to enable auto-merge of its merge requests (`gitLabIgnoreApprovals`).
    it('rules can be removed from one merge request', async () => {
      const { owner, developer, reporter } = scene;
      const requested = { name: 'Owners', approvals_required: 1, user_ids: [owner.user.id] };
      const { body: regular } = await scene.api(owner, `POST ${rules()}`, { json: requested });
      const anybody = { name: 'Anybody', approvals_required: 2, rule_type: 'any_approver' };
      const { body: any } = await scene.api(owner, `POST ${rules()}`, { json: anybody });
      await scene.branch('bot', 'bot.txt', 'b');
      const { iid: other } = await scene.open(developer, 'bot');
      const at = `${scene.base}/${other}/approval_rules`;
      const inForce = async () => (await get(at)).map((rule: { name: string }) => rule.name).sort();
      assert.deepEqual(await inForce(), ['Anybody', 'Owners']);

      const path = `DELETE ${at}/${regular.id}`;
      assert.equal((await scene.api(reporter, path)).status, 403);
      assert.equal((await scene.server.api(path, { token: null })).status, 401);
      const settings = `POST /projects/${scene.project.id}/approvals`;
      await scene.api(owner, settings, { json: { disable_overriding_approvers_per_merge_request: true } });
      assert.equal((await scene.api(developer, path)).status, 403);
      await scene.api(owner, settings, { json: { disable_overriding_approvers_per_merge_request: false } });

      const answers = (await atOnce(3, () => scene.api(developer, path))).map(({ status }) => status);
      assert.ok(answers.includes(204) && answers.every((status) => status === 204 || status === 404), `${answers}`);
      assert.equal((await scene.api(developer, path)).status, 404);
      assert.equal((await get(`${scene.base}/${other}/approval_state`)).approval_rules_overwritten, true);
      const [shown] = await get(at);
      const zero = await scene.api(developer, `PUT ${at}/${any.id}`, { json: { ...shown, approvals_required: 0 } });
      assert.deepEqual([zero.status, zero.body.approvals_required], [200, 0]);
      const own = { name: 'renovateIgnoreApprovals', approvals_required: 0 };
      assert.equal((await scene.api(developer, `POST ${at}`, { json: own })).status, 201);
      assert.deepEqual(await inForce(), ['Anybody', 'renovateIgnoreApprovals']);
      assert.equal((await get(`${scene.base}/${other}`)).detailed_merge_status, 'mergeable');

      assert.deepEqual((await get(rules())).map(({ id }: { id: number }) => id).sort(), [regular.id, any.id].sort());
      assert.equal((await get(one())).detailed_merge_status, 'not_approved', 'other merge requests keep the rules');
      for (const { id } of [regular, any]) await scene.api(owner, `DELETE ${rules()}/${id}`);
    });

    it('follow the configuration of the project', async () => {
      const { owner, developer, project } = scene;
      const path = `/projects/${project.id}/approvals`;
      assert.equal((await scene.api(developer, `POST ${path}`, { json: {} })).status, 403);
      const json = { merge_requests_author_approval: false, approvals_before_merge: 2 };
      const set = await scene.api(owner, `POST ${path}`, { json });
      assert.deepEqual([set.status, set.body.approvals_before_merge], [201, 2]);
      assert.equal((await get(path)).merge_requests_author_approval, false);
      assert.equal((await post(developer, 'approve')).status, 403);
      assert.equal((await get(`${one()}/approvals`)).approvals_left, 2);
    });

    it('of committers are rejected if the project is configured so', async () => {
      const { owner, project } = scene;
      const write = { branch: 'topic', content: 'c', commit_message: 'Mine' };
      await scene.api(owner, `POST /projects/${project.id}/repository/files/c.txt`, { json: write });
      await scene.server.running.services.queue.drain();
      assert.equal((await get(`${one()}/approvals`)).user_can_approve, true);
      const json = { merge_requests_disable_committers_approval: true };
      await scene.api(owner, `POST /projects/${project.id}/approvals`, { json });
      assert.equal((await get(`${one()}/approvals`)).user_can_approve, false);
      assert.equal((await post(owner, 'approve')).status, 403);
    });

    it('require the password if the project is configured so', async () => {
      const { owner, project, server } = scene;
      const json = { require_password_to_approve: true, merge_requests_disable_committers_approval: false };
      await scene.api(owner, `POST /projects/${project.id}/approvals`, { json });
      const approve = (sent: Record<string, unknown>) =>
        server.api(`POST ${one()}/approve`, { token: rootToken, json: sent });
      assert.equal((await approve({})).status, 401);
      assert.equal((await approve({ approval_password: 'wrong' })).status, 401);
      assert.equal((await approve({ approval_password: 'correct horse battery' })).status, 201);
    });
  });
});
