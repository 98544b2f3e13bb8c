import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../../support/merge-requests.ts';
import { until } from '../../../support/until.ts';

forEachEngine((engine) => {
  describe('coverage approval rules', () => {
    let scene: ReviewScene;
    let rule: { id: number };

    const at = () => `/projects/${scene.project.id}`;
    const send = (call: string, json: object = {}) => scene.api(scene.owner, call, { json });
    const get = async (path: string) => (await scene.api(scene.owner, `GET ${path}`)).body;
    const drain = () => scene.server.running.services.queue.drain();
    const report = async (sha: string, ref: string, coverage: number | undefined, state = 'success') => {
      const answer = await send(`POST ${at()}/statuses/${sha}`, { name: `test ${coverage}`, ref, state, coverage });
      assert.equal(answer.status, 201, answer.text);
      await drain();
    };
    const stateOf = async (iid: number) => {
      const { rules } = await get(`${scene.base}/${iid}/approval_state`);
      return rules.map((one: { name: string; approvals_required: number }) => [one.name, one.approvals_required]);
    };
    const branchWith = async (name: string, coverage: number | undefined) => {
      await scene.branch(name, `${name}.txt`, name);
      const opened = await scene.open(scene.developer, name);
      await report(opened.sha, name, coverage);
      return opened;
    };

    before(async () => {
      scene = await reviewScene(engine);
      const made = await send(`POST ${at()}/approval_rules`, {
        name: 'Coverage-Check',
        approvals_required: 1,
        rule_type: 'report_approver',
        report_type: 'code_coverage',
        user_ids: [scene.owner.user.id],
      });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual([made.body.rule_type, made.body.report_type], ['report_approver', 'code_coverage']);
      rule = made.body;
    });

    it('require approvals as long as no figure of the target branch is known', async () => {
      const { iid } = await branchWith('early', 90);
      assert.deepEqual(await stateOf(iid), [['Coverage-Check', 1]]);
      assert.equal((await get(`${scene.base}/${iid}`)).detailed_merge_status, 'not_approved');
    });

    it('require approvals only while the coverage falls', async () => {
      const main = await get(`${at()}/repository/branches/main`);
      await report(main.commit.id, 'main', 80);
      const worse = await branchWith('worse', 79.5);
      assert.deepEqual(await stateOf(worse.iid), [['Coverage-Check', 1]]);
      assert.equal((await send(`PUT ${scene.base}/${worse.iid}/merge`)).status, 405);
      assert.deepEqual(await stateOf((await branchWith('same', 80)).iid), [['Coverage-Check', 0]]);
      assert.deepEqual(await stateOf((await branchWith('unmeasured', undefined)).iid), [['Coverage-Check', 1]]);
      const running = await scene.branch('running', 'r.txt', 'r').then(() => scene.open(scene.developer, 'running'));
      await report(running.sha, 'running', 99, 'running');
      assert.deepEqual(await stateOf(running.iid), [['Coverage-Check', 1]]);
      await report(running.sha, 'running', 99);
      assert.deepEqual(await stateOf(running.iid), [['Coverage-Check', 0]]);
      assert.equal((await send(`POST ${scene.base}/${worse.iid}/approve`)).status, 201);
      await until(async () => (await get(`${scene.base}/${worse.iid}`)).detailed_merge_status === 'mergeable');
    });

    it('cannot be changed by merge requests', async () => {
      const change = { approvals_required: 0 };
      assert.equal((await send(`PUT ${scene.base}/1/approval_rules/${rule.id}`, change)).status, 403);
      assert.equal((await send(`DELETE ${scene.base}/1/approval_rules/${rule.id}`)).status, 403);
      const own = { name: 'Own', approvals_required: 0, approval_project_rule_id: rule.id };
      assert.equal((await send(`POST ${scene.base}/1/approval_rules`, own)).status, 400);
    });

    it('need a report', async () => {
      const sent = { name: 'x', approvals_required: 1 };
      for (const [json, error] of [
        [{ ...sent, rule_type: 'report_approver' }, 'report_type is missing'],
        [{ ...sent, report_type: 'license_scanning' }, 'report_type does not have a valid value'],
      ] as const) {
        const answer = await send(`POST ${at()}/approval_rules`, json);
        assert.deepEqual([answer.status, answer.body], [400, { error }]);
      }
    });

    it('are listed after the other rules, in pages', async () => {
      await send(`POST ${at()}/approval_rules`, { name: 'Second', approvals_required: 0 });
      for (const list of [`${at()}/approval_rules`, `${scene.base}/1/approval_rules`]) {
        const page = await scene.api(scene.owner, `GET ${list}?per_page=1&page=2`);
        assert.deepEqual(
          [page.body[0].name, page.body.length, page.headers.get('x-total')],
          ['Coverage-Check', 1, '2'],
        );
      }
    });
  });
});
