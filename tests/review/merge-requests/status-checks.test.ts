import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { appliesTo, statusOf } from '../../../src/review/merge-requests/status-checks/rules.ts';
import { type Receiver, startReceiver } from '../../integrations/webhooks/receiver.ts';
import { inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';

describe('status check rules', () => {
  it('report a check as pending until it responds, and as failed after a timeout', () => {
    const at = 1_000_000;
    assert.equal(statusOf(undefined, at), 'pending');
    assert.equal(statusOf({ status: 'passed', answered_at: 0 }, at), 'passed');
    assert.equal(statusOf({ status: 'failed', answered_at: at }, at), 'failed');
    assert.equal(statusOf({ status: 'pending', answered_at: at - 120_000 }, at), 'pending');
    assert.equal(statusOf({ status: 'pending', answered_at: at - 120_001 }, at), 'failed');
  });

  it('apply a check to all branches or to the named ones', () => {
    assert.equal(appliesTo([], 'main'), true);
    assert.equal(appliesTo([{ name: 'release-*' }, { name: 'main' }], 'main'), true);
    assert.equal(appliesTo([{ name: 'release-*' }], 'release-1'), true);
    assert.equal(appliesTo([{ name: 'release-*' }], 'main'), false);
  });
});

forEachEngine((engine) => {
  describe('external status checks', () => {
    let scene: ReviewScene;
    let receiver: Receiver;
    let checks: string;
    const add = (json: Record<string, unknown>, person = scene.owner) => scene.api(person, `POST ${checks}`, { json });
    const standing = async (iid: number) =>
      (await scene.api(scene.developer, `GET ${scene.base}/${iid}/status_checks`)).body;
    const answer = (iid: number, json: Record<string, unknown>, person = scene.developer) =>
      scene.api(person, `POST ${scene.base}/${iid}/status_check_responses`, { json });
    const remove = (id: number) => scene.api(scene.owner, `DELETE ${checks}/${id}`);
    const request = async (iid: number) => (await scene.api(scene.developer, `GET ${scene.base}/${iid}`)).body;
    const drain = () => scene.server.running.services.queue.drain();

    before(async () => {
      scene = await reviewScene(engine, 'private');
      receiver = await startReceiver();
      checks = `/projects/${scene.project.id}/external_status_checks`;
      await scene.server.must('PUT /application/settings', {
        json: { allow_local_requests_from_web_hooks_and_services: true },
      });
    });

    it('are managed by maintainers', async () => {
      const url = `${receiver.url}/managed`;
      assert.equal((await add({ name: 'QA', external_url: url }, scene.developer)).status, 403);
      assert.equal((await add({ name: 'QA', external_url: url }, scene.outsider)).status, 404);
      assert.equal((await scene.api(scene.developer, `GET ${checks}`)).status, 403);
      const missing = await add({});
      assert.equal(missing.status, 400);
      assert.deepEqual(missing.body, { error: 'name is missing, external_url is missing' });
      const made = await add({ name: 'QA', external_url: url, shared_secret: 'hush' });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { id, ...shown } = made.body;
      assert.deepEqual(shown, {
        name: 'QA',
        project_id: scene.project.id,
        external_url: url,
        hmac: true,
        protected_branches: [],
      });
      const taken = await add({ name: 'QA', external_url: `${url}/2` });
      assert.deepEqual([taken.status, taken.body.message], [422, ['Name has already been taken']]);
      const sameUrl = await add({ name: 'Other', external_url: url });
      assert.deepEqual([sameUrl.status, sameUrl.body.message], [422, ['External url has already been taken']]);
      const changed = await scene.api(scene.owner, `PUT ${checks}/${id}`, { json: { name: 'Quality' } });
      assert.deepEqual([changed.status, changed.body.name, changed.body.hmac], [200, 'Quality', true]);
      const listed = await scene.api(scene.owner, `GET ${checks}?per_page=1`);
      assert.equal(listed.headers.get('x-total'), '1');
      assert.equal(listed.body[0].name, 'Quality');
      assert.equal((await scene.api(scene.owner, `PUT ${checks}/999999`, { json: { name: 'x' } })).status, 404);
      assert.equal((await scene.api(scene.developer, `DELETE ${checks}/${id}`)).status, 403);
      assert.equal((await remove(id)).status, 204);
      assert.equal((await remove(id)).status, 404);
    });

    it('require a name, an http(s) URL and protected branches', async () => {
      const refused: [Record<string, unknown>, number][] = [
        [{ name: ' ', external_url: 'https://example.com' }, 422],
        [{ name: 'x'.repeat(256), external_url: 'https://example.com' }, 422],
        [{ name: 'x', external_url: `https://example.com/${'x'.repeat(255)}` }, 422],
        [{ name: 'x', external_url: 'ftp://example.com' }, 422],
        [{ name: 'x', external_url: 'http://169.254.169.254/latest' }, 422],
        [{ name: 'x', external_url: 'https://example.com', shared_secret: 'x'.repeat(256) }, 422],
        [{ name: 'x', external_url: 'https://example.com', protected_branch_ids: [999_999] }, 400],
      ];
      await scene.server.must('PUT /application/settings', {
        json: { allow_local_requests_from_web_hooks_and_services: false },
      });
      for (const [json, status] of refused) {
        assert.equal((await add(json)).status, status, JSON.stringify(json).slice(0, 90));
      }
      await scene.server.must('PUT /application/settings', {
        json: { allow_local_requests_from_web_hooks_and_services: true },
      });
      assert.deepEqual((await scene.api(scene.owner, `GET ${checks}`)).body, []);
    });

    it('receive signed events of merge requests and respond for one head', async () => {
      const { body: check } = await add({
        name: 'Signed',
        external_url: `${receiver.url}/signed`,
        shared_secret: 'hush',
      });
      await scene.branch('one', 'one.txt', 'one\n');
      const { iid } = await scene.open(scene.owner, 'one');
      const [notified] = await receiver.arrived('/signed');
      const sent = JSON.parse(notified?.raw ?? '{}');
      assert.equal(sent.object_kind, 'merge_request');
      assert.equal(sent.object_attributes.iid, iid);
      assert.deepEqual(sent.external_approval_rule, {
        id: check.id,
        name: 'Signed',
        external_url: `${receiver.url}/signed`,
      });
      const signature = createHmac('sha256', 'hush')
        .update(notified?.raw ?? '')
        .digest('hex');
      assert.equal(notified?.headers['x-gitlab-signature'], signature);
      assert.equal(JSON.stringify(notified?.headers).includes('hush'), false);

      const pending = { id: check.id, name: 'Signed', external_url: check.external_url, status: 'pending' };
      assert.deepEqual(await standing(iid), [pending]);
      const { sha } = await request(iid);
      const said = { sha, external_status_check_id: check.id, status: 'failed' };
      assert.equal((await answer(iid, said, scene.reporter)).status, 403);
      assert.equal((await answer(iid, said, scene.outsider)).status, 404);
      assert.equal((await answer(iid, { ...said, status: 'maybe' })).status, 400);
      assert.equal((await answer(iid, { ...said, external_status_check_id: 999_999 })).status, 404);
      const stale = await answer(iid, { ...said, sha: '0'.repeat(40) });
      assert.deepEqual([stale.status, stale.body.message], [409, `SHA does not match HEAD of source branch: ${sha}`]);
      assert.deepEqual(await standing(iid), [pending]);
      const taken = await answer(iid, said);
      assert.equal(taken.status, 201, JSON.stringify(taken.body));
      assert.equal(taken.body.merge_request.iid, iid);
      assert.equal(taken.body.external_status_check.id, check.id);
      assert.equal((await standing(iid))[0].status, 'failed');

      const retry = `POST ${scene.base}/${iid}/status_checks/${check.id}/retry`;
      assert.equal((await scene.api(scene.reporter, retry)).status, 403);
      const again = await scene.api(scene.developer, retry);
      assert.deepEqual([again.status, again.body], [202, { message: '202 Accepted' }]);
      await receiver.arrived('/signed', 2);
      assert.equal((await standing(iid))[0].status, 'pending');
      const early = await scene.api(scene.developer, retry);
      assert.deepEqual([early.status, early.body.message], [422, 'External status check must be failed']);

      await answer(iid, { ...said, status: 'passed' });
      assert.equal((await standing(iid))[0].status, 'passed');
      await scene.branch('one', 'two.txt', 'two\n', 'one');
      await drain();
      assert.equal((await standing(iid))[0].status, 'pending', 'the response for another head does not count');
      await remove(check.id);
    });

    it('block merging and auto-merge if the project requires them', async () => {
      await scene.branch('held', 'held.txt', 'held\n');
      const { iid } = await scene.open(scene.owner, 'held');
      const wants = (flag: boolean) =>
        scene.server.must(`PUT /projects/${scene.project.id}`, {
          token: scene.owner.token,
          json: { only_allow_merge_if_all_status_checks_passed: flag },
        });
      await wants(true);
      assert.equal((await request(iid)).detailed_merge_status, 'mergeable', 'no check applies');
      const { body: check } = await add({ name: 'Gate', external_url: `${receiver.url}/gate` });
      assert.equal((await request(iid)).detailed_merge_status, 'status_checks_must_pass');
      assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/${iid}/merge`)).status, 405);
      await wants(false);
      assert.equal((await request(iid)).detailed_merge_status, 'mergeable');
      await wants(true);
      const waiting = await scene.api(scene.owner, `PUT ${scene.base}/${iid}/merge`, { json: { auto_merge: true } });
      assert.equal(waiting.status, 200, JSON.stringify(waiting.body));
      const { sha } = await request(iid);
      await answer(iid, { sha, external_status_check_id: check.id, status: 'failed' });
      await drain();
      assert.equal((await request(iid)).state, 'opened');
      await answer(iid, { sha, external_status_check_id: check.id });
      await drain();
      assert.equal((await request(iid)).state, 'merged');
      await remove(check.id);
      await wants(false);
    });

    it('apply to the protected branches they name', async () => {
      const rule = await scene.server.must(`POST /projects/${scene.project.id}/protected_branches`, {
        token: scene.owner.token,
        json: { name: 'release-*' },
      });
      const { body: check } = await add({
        name: 'Releases',
        external_url: `${receiver.url}/releases`,
        protected_branch_ids: [rule.id],
      });
      assert.deepEqual(
        check.protected_branches.map(({ id, name }: { id: number; name: string }) => [id, name]),
        [[rule.id, 'release-*']],
      );
      await scene.push(scene.owner, 'main:release-1');
      await scene.branch('three', 'three.txt', 'three\n');
      const { iid } = await scene.open(scene.owner, 'three');
      const release = await scene.open(scene.owner, 'three', { target_branch: 'release-1' });
      assert.deepEqual(await standing(iid), []);
      assert.equal((await standing(release.iid)).length, 1);
      const { sha } = await request(iid);
      assert.equal((await answer(iid, { sha, external_status_check_id: check.id })).status, 404);
      await receiver.arrived('/releases');
      const notified = receiver.at('/releases').map(({ raw }) => JSON.parse(raw).object_attributes.target_branch);
      assert.deepEqual([...new Set(notified)], ['release-1']);
      await remove(check.id);
    });

    it('store one response under concurrent requests', async () => {
      const { body: check } = await add({ name: 'Racing', external_url: `${receiver.url}/racing` });
      await scene.branch('four', 'four.txt', 'four\n');
      const { iid } = await scene.open(scene.owner, 'four');
      const { sha } = await request(iid);
      await inRounds(async () => {
        const said = { sha, external_status_check_id: check.id };
        const both = await Promise.all([answer(iid, said), answer(iid, { ...said, status: 'failed' })]);
        assert.deepEqual(statuses(both), { 201: 2 });
        assert.equal((await standing(iid)).length, 1);
      }, 3);
      await remove(check.id);
    });
  });
});
