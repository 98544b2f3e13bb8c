import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { rejectDuplicate } from '../../../../src/review/merge-requests/approvals/duplicate-rules.ts';
import { atOnce, inRounds, statuses } from '../../../support/at-once.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../../support/merge-requests.ts';
import { until } from '../../../support/until.ts';

describe('detection of duplicate rules', () => {
  const others = [
    { id: 1, name: 'Security', rule_type: 'regular' },
    { id: 2, name: 'All members', rule_type: 'any_approver' },
  ] as const;
  const taken = { name: ['has already been taken'] };
  const second = { rule_type: ['any-approver for the project already exists'] };
  const cases: [string, Parameters<typeof rejectDuplicate>[1], object | undefined][] = [
    ['accepts another name', { name: 'Legal', rule_type: 'regular' }, undefined],
    ['accepts the same name in another case', { name: 'security', rule_type: 'regular' }, undefined],
    ['accepts the same name for another type', { name: 'All members', rule_type: 'regular' }, undefined],
    ['rejects the same name', { name: 'Security', rule_type: 'regular' }, taken],
    ['ignores the rule itself', { id: 1, name: 'Security', rule_type: 'regular' }, undefined],
    ['rejects a rename to an existing name', { id: 3, name: 'Security', rule_type: 'regular' }, taken],
    ['rejects a second rule for any approver', { name: 'Anyone', rule_type: 'any_approver' }, second],
    [
      'rejects a second rule for any approver with the same name',
      { name: 'All members', rule_type: 'any_approver' },
      { ...taken, ...second },
    ],
  ];
  for (const [name, rule, message] of cases) {
    it(name, () => {
      if (!message) return assert.doesNotThrow(() => rejectDuplicate(others, rule, 'project'));
      return assert.throws(
        () => rejectDuplicate(others, rule, 'project'),
        (error: { body?: unknown }) => {
          assert.deepEqual(error.body, { message });
          return true;
        },
      );
    });
  }
});

forEachEngine((engine) => {
  describe('approval rules of one owner', () => {
    let scene: ReviewScene;
    const at = () => `/projects/${scene.project.id}`;
    const send = (call: string, json: object) => scene.api(scene.owner, call, { json });
    const named = (name: string, required = 1) => ({
      name,
      approvals_required: required,
      user_ids: [scene.owner.user.id],
    });

    before(async () => {
      scene = await reviewScene(engine);
      await scene.branch('topic', 'a.txt', 'a');
      await scene.open(scene.developer, 'topic');
    });

    it('have unique names, and only one is for any approver', async () => {
      const { id } = await scene.server.must(`POST ${at()}/approval_rules`, {
        token: scene.owner.token,
        json: named('One'),
      });
      const again = await send(`POST ${at()}/approval_rules`, named('One'));
      assert.deepEqual([again.status, again.body], [400, { message: { name: ['has already been taken'] } }]);
      const other = await send(`POST ${at()}/approval_rules`, named('Two', 0));
      assert.equal(other.status, 201);
      assert.equal((await send(`PUT ${at()}/approval_rules/${other.body.id}`, named('One'))).status, 400);
      assert.equal((await send(`PUT ${at()}/approval_rules/${id}`, named('One', 2))).status, 200);
      const any = { name: 'Any', approvals_required: 0, rule_type: 'any_approver' };
      assert.equal((await send(`POST ${at()}/approval_rules`, any)).status, 201);
      const anyAgain = await send(`POST ${at()}/approval_rules`, { ...any, name: 'Anyone' });
      assert.deepEqual(anyAgain.body, { message: { rule_type: ['any-approver for the project already exists'] } });
      await inRounds(async (round) => {
        const answers = await atOnce(4, () => send(`POST ${at()}/approval_rules`, named(`Round ${round}`, 0)));
        assert.deepEqual(statuses(answers), { 201: 1, 400: 3 });
      }, 3);
    });

    it('of merge requests and groups are unique too', async () => {
      const own = `${scene.base}/1/approval_rules`;
      // The project rule has the same name but another owner.
      assert.equal((await send(`POST ${own}`, named('Two', 0))).status, 201);
      assert.equal((await send(`POST ${own}`, named('Two', 0))).status, 400);
      const any = { name: 'Any', approvals_required: 0 };
      assert.equal((await send(`POST ${own}`, any)).body.rule_type, 'any_approver');
      const again = await send(`POST ${own}`, { ...any, name: 'Anyone' });
      assert.deepEqual([again.status, again.body.rule_type], [201, 'regular']);
      const refused = await send(`POST ${own}`, { ...any, name: 'Anyone', rule_type: 'any_approver' });
      const message = { rule_type: ['any-approver for the merge request already exists'] };
      assert.deepEqual([refused.status, refused.body], [400, { message }]);
      const group = await scene.server.must('POST /groups', {
        token: scene.owner.token,
        json: { name: 'Group', path: `group-${scene.project.id}` },
      });
      const rules = `/groups/${group.id}/approval_rules`;
      const answers = await atOnce(3, () => send(`POST ${rules}`, named('Everywhere')));
      assert.deepEqual(statuses(answers), { 201: 1, 400: 2 });
      const { id } = await scene.server.must(`POST ${rules}`, { token: scene.owner.token, json: named('Here') });
      assert.equal((await send(`PUT ${rules}/${id}`, { name: 'Everywhere' })).status, 400);
      assert.equal((await send(`PUT ${rules}/${id}`, named('Here', 2))).status, 200);
    });

    it('require the number of approvals set by an update of the merge request, from the same approvers', async () => {
      await scene.branch('asking', 'b.txt', 'b');
      const made = await scene.open(scene.developer, 'asking');
      const one = `${scene.base}/${made.iid}`;
      const rulesNow = async () => (await scene.api(scene.owner, `GET ${one}/approval_rules`)).body;
      const rule = (await rulesNow()).find(({ name }: { name: string }) => name === 'One');
      const change = (json: object, person = scene.developer) => scene.api(person, `PUT ${one}`, { json });
      const attributes = (id: number, approvals_required: number) => ({
        approval_rules_attributes: [{ id, approvals_required }],
      });
      assert.equal((await change(attributes(rule.id, 5))).status, 200);
      const changed = (await rulesNow()).find(({ name }: { name: string }) => name === 'One');
      assert.deepEqual([changed.approvals_required, changed.overridden], [5, true]);
      assert.deepEqual(
        changed.users.map(({ id }: { id: number }) => id),
        [scene.owner.user.id],
      );
      assert.equal((await change(attributes(changed.id, 1))).status, 200);
      assert.equal((await change(attributes(changed.id, 101))).status, 400);
      assert.equal((await change(attributes(999_999, 1))).status, 404);
      assert.equal((await change(attributes(changed.id, 3), scene.reporter)).status, 403);
      await send(`POST ${at()}/approvals`, { disable_overriding_approvers_per_merge_request: true });
      assert.equal((await change(attributes(changed.id, 0))).status, 200);
      const stored = (await rulesNow()).find(({ name }: { name: string }) => name === 'One');
      assert.equal(stored.approvals_required, 1, 'merge requests cannot override rules');
      await send(`POST ${at()}/approvals`, { disable_overriding_approvers_per_merge_request: false });
    });

    it('trigger auto-merge once they require no more approvals', async () => {
      const state = async (iid: number) => (await scene.api(scene.owner, `GET ${scene.base}/${iid}`)).body.state;
      const waiting = async (name: string) => {
        await scene.branch(name, `${name}.txt`, name);
        const { iid } = await scene.open(scene.developer, name);
        await scene.server.must(`PUT ${scene.base}/${iid}/merge`, {
          token: scene.owner.token,
          json: { auto_merge: true },
        });
        assert.equal(await state(iid), 'opened');
        return iid as number;
      };
      const alone = await waiting('alone');
      const [rule] = (await scene.api(scene.owner, `GET ${at()}/approval_rules`)).body;
      assert.equal(
        (await scene.api(scene.owner, `DELETE ${scene.base}/${alone}/approval_rules/${rule.id}`)).status,
        204,
      );
      await until(async () => (await state(alone)) === 'merged');
      const all = await waiting('all');
      assert.equal((await scene.api(scene.owner, `DELETE ${at()}/approval_rules/${rule.id}`)).status, 204);
      await until(async () => (await state(all)) === 'merged');
      await send(`PUT ${at()}`, { only_allow_merge_if_all_discussions_are_resolved: true });
      await scene.branch('spoken', 'spoken.txt', 'spoken');
      const spoken = (await scene.open(scene.developer, 'spoken')).iid;
      await send(`POST ${scene.base}/${spoken}/discussions`, { body: 'Why?' });
      await send(`PUT ${scene.base}/${spoken}/merge`, { auto_merge: true });
      assert.equal(await state(spoken), 'opened');
      await send(`PUT ${at()}`, { only_allow_merge_if_all_discussions_are_resolved: false });
      await until(async () => (await state(spoken)) === 'merged');
    });
  });
});
