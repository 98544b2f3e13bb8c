import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paragraphLines } from '../../../src/planning/markdown/public.ts';
import {
  type CommandPermission,
  type Context,
  commands,
  interpret,
  type LookupResults,
  readQuickActions,
  type Subject,
  summaryOf,
} from '../../../src/planning/quick-actions/public.ts';

const people = [
  { id: 1, username: 'me_myself' },
  { id: 2, username: 'ann' },
  { id: 3, username: 'bob' },
];
const labels = [
  { id: 11, title: 'bug' },
  { id: 12, title: 'two words' },
  { id: 13, title: 'feature' },
];
const milestones = [
  { id: 21, title: '1.0' },
  { id: 22, title: 'Next one' },
];
const found: LookupResults = {
  person: (name) => people.find(({ username }) => username === name),
  label: (name) => labels.find(({ title }) => title === name),
  milestone: (name) => milestones.find(({ title }) => title === name),
  item: (reference) => {
    const kind = { '#': 'issue', '!': 'merge_request', '&': 'epic' } as const;
    const [, mark, number] = /([#!&])([1-9])$/.exec(reference) ?? [];
    if (mark !== '#' && mark !== '!' && mark !== '&') return undefined;
    return {
      id: 100 + Number(number),
      kind: kind[mark],
      reference,
      labels: labels.slice(0, 1),
      milestone: milestones[0],
    };
  },
  project: (path) => (path === 'g/p' || path === '' ? { id: 31, fullPath: 'g/p' } : undefined),
  branch: (name) => name === 'main',
  iteration: (text) => (text === '*iteration:5' ? { id: 5, title: 'x' } : undefined),
};

const issue: Subject = { kind: 'issue', state: 'opened' };
const incident: Subject = { kind: 'incident', state: 'opened' };
const merge: Subject = { kind: 'merge_request', state: 'opened', sourceBranch: 'topic' };
const everything = new Set(commands.map(({ name }) => name));

function run(
  text: string,
  subject: Subject,
  can: (right: CommandPermission) => boolean = () => true,
  supported = everything,
) {
  const now = new Date('2026-01-28T12:00:00Z');
  const today = '2026-01-28';
  const actions = readQuickActions(text, today, paragraphLines(text));
  const context: Context = {
    subject,
    writer: { id: 1, username: 'me_myself' },
    today,
    now,
    hoursOnly: false,
    can,
    found,
  };
  return { ...interpret(actions, context, supported), actions };
}

const staffed: Subject = { ...issue, assignees: people.slice(1), labels: labels.slice(0, 1), milestone: milestones[0] };
const reviewed: Subject = { ...merge, reviewers: people.slice(1, 2) };

const cases: readonly (readonly [text: string, subject: Subject, changes: object, message: string])[] = [
  ['/close', issue, { state_event: 'close' }, 'Closed this issue.'],
  ['/close', merge, { state_event: 'close' }, 'Closed this merge request.'],
  ['/close', { ...issue, state: 'closed' }, {}, 'Could not apply close command.'],
  ['/reopen', { ...issue, state: 'closed' }, { state_event: 'reopen' }, 'Reopened this issue.'],
  ['/reopen', issue, {}, 'Could not apply reopen command.'],
  ['/title New "one"', issue, { title: 'New "one"' }, 'Changed the title to "New "one"".'],
  ['/title', issue, {}, ''],
  ['/assign @ann @bob', issue, { assignee_ids: [2, 3] }, 'Assigned @ann and @bob.'],
  ['/assign me', issue, { assignee_ids: [1] }, 'Assigned @me_myself.'],
  ['/assign @ann, me, @bob', issue, { assignee_ids: [1, 2, 3] }, 'Assigned @me_myself, @ann, and @bob.'],
  ['/assign @ann\n/assign @bob', issue, { assignee_ids: [2, 3] }, 'Assigned @ann. Assigned @bob.'],
  ['/assign @nobody', issue, {}, 'Could not apply assign command. Failed to find users for @nobody.'],
  ['/assign', issue, {}, ''],
  ['/reassign @bob', staffed, { assignee_ids: [3] }, 'Changed assignee(s) to @bob.'],
  ['/unassign', staffed, { assignee_ids: [] }, 'Removed assignees @ann and @bob.'],
  ['/unassign @ann', staffed, { assignee_ids: [3] }, 'Removed assignee @ann.'],
  ['/unassign', issue, {}, 'Could not apply unassign command.'],
  ['/assign_reviewer @ann', merge, { reviewer_ids: [2] }, 'Assigned @ann as reviewer.'],
  ['/reviewer @ann @bob', merge, { reviewer_ids: [2, 3] }, 'Assigned @ann and @bob as reviewers.'],
  ['/remove_reviewer @ann', reviewed, { reviewer_ids: [] }, 'Removed reviewer @ann.'],
  ['/assign_reviewer @ann', issue, {}, 'Could not apply assign_reviewer command.'],
  ['/request_review @bob', merge, { request_review_ids: [3] }, 'Requested a review from @bob.'],
  ['/label ~bug', issue, { add_label_ids: [11] }, 'Added ~"bug" label.'],
  ['/label ~bug ~"two words"', issue, { add_label_ids: [11, 12] }, 'Added ~"bug" ~"two words" labels.'],
  ['/label bug "two words"', issue, { add_label_ids: [11, 12] }, 'Added ~"bug" ~"two words" labels.'],
  ['/label ~bug\n/labels ~feature', issue, { add_label_ids: [11, 13] }, 'Added ~"bug" label. Added ~"feature" label.'],
  ['/label ~nope', issue, {}, ''],
  ['/label ~nope ~bug', issue, { add_label_ids: [11] }, 'Added ~"bug" label.'],
  ['/unlabel', staffed, { label_ids: [] }, 'Removed all labels.'],
  ['/remove_label ~bug', staffed, { remove_label_ids: [11] }, 'Removed ~"bug" label.'],
  ['/relabel ~bug', issue, { label_ids: [11] }, 'Replaced all labels with ~"bug" label.'],
  ['/milestone %1.0', issue, { milestone_id: 21 }, 'Set the milestone to %"1.0".'],
  ['/milestone %"Next one"', merge, { milestone_id: 22 }, 'Set the milestone to %"Next one".'],
  ['/milestone %nope', issue, {}, ''],
  ['/remove_milestone', staffed, { milestone_id: null }, 'Removed %"1.0" milestone.'],
  ['/due 2025-01-05', issue, { due_date: '2025-01-05' }, 'Set the due date to Jan 5, 2025.'],
  ['/due tomorrow', issue, { due_date: '2026-01-29' }, 'Set the due date to Jan 29, 2026.'],
  ['/due whenever', issue, {}, ''],
  ['/due tomorrow', merge, {}, 'Could not apply due command.'],
  ['/remove_due_date', { ...issue, dueDate: '2025-01-05' }, { due_date: null }, 'Removed the due date.'],
  ['/estimate 1h', issue, { time_estimate: 3600 }, 'Set time estimate to 1h.'],
  ['/estimate_time 1w 2d', merge, { time_estimate: 201_600 }, 'Set time estimate to 1w 2d.'],
  ['/estimate 0', issue, { time_estimate: 0 }, 'Removed time estimate.'],
  ['/estimate -1h', issue, {}, ''],
  ['/estimate later', issue, {}, ''],
  ['/remove_estimate', issue, { time_estimate: 0 }, 'Removed time estimate.'],
  [
    '/spend 1h 30m',
    issue,
    { spend_time: { duration: 5400, user_id: 1, spent_at: '2026-01-28T12:00:00.000Z' } },
    'Added 1h 30m spent time.',
  ],
  [
    '/spent -1h 2026-01-02',
    issue,
    { spend_time: { duration: -3600, user_id: 1, spent_at: '2026-01-02' } },
    'Subtracted 1h spent time.',
  ],
  [
    '/spend 1h 2026-01-02 [timecategory:dev]',
    issue,
    { spend_time: { duration: 3600, user_id: 1, spent_at: '2026-01-02', category: 'dev' } },
    'Added 1h spent time.',
  ],
  ['/spend 1h 2026-01-29', issue, {}, ''],
  ['/spend 1h 2026-02-30', issue, {}, ''],
  ['/spend 0', issue, {}, ''],
  ['/remove_time_spent', issue, { spend_time: { duration: 'reset', user_id: 1 } }, 'Removed spent time.'],
  ['/todo', issue, { todo_event: 'add' }, 'Added a to-do item.'],
  ['/done', { ...issue, pendingTodo: true }, { todo_event: 'done' }, 'Marked to-do item as done.'],
  ['/done', issue, {}, 'Could not apply done command.'],
  ['/subscribe', issue, { subscription_event: 'subscribe' }, 'Subscribed to notifications.'],
  [
    '/unsubscribe',
    { ...issue, subscribed: true },
    { subscription_event: 'unsubscribe' },
    'Unsubscribed from notifications.',
  ],
  ['/react :+1:', issue, { emoji_award: 'thumbsup' }, 'Toggled :thumbsup: emoji reaction.'],
  ['/award :tada:', merge, { emoji_award: 'tada' }, 'Toggled :tada: emoji reaction.'],
  ['/react :nope:', issue, {}, ''],
  ['/lock', issue, { discussion_locked: true }, 'Locked the discussion.'],
  ['/unlock', { ...issue, discussionLocked: true }, { discussion_locked: false }, 'Unlocked the discussion.'],
  ['/confidential', issue, { confidential: true }, 'Made this issue confidential.'],
  ['/confidential', merge, {}, 'Could not apply confidential command.'],
  ['/severity S1', incident, { severity: 'critical' }, 'Severity updated to Critical.'],
  ['/severity 4', incident, { severity: 'low' }, 'Severity updated to Low.'],
  ['/severity high', incident, { severity: 'high' }, 'Severity updated to High.'],
  ['/severity 5', incident, {}, ''],
  ['/severity 1', issue, {}, 'Could not apply severity command.'],
  [
    '/duplicate #1',
    issue,
    { canonical_issue_id: 101 },
    'Closed this issue. Marked as related to, and a duplicate of, #1.',
  ],
  [
    '/relate #1 g/p#2',
    issue,
    { relate_issue_ids: [101, 102] },
    'Added #1 g/p#2 as a linked item related to this issue.',
  ],
  ['/relate nonsense', issue, {}, ''],
  ['/relate !1', issue, {}, 'Could not apply relate command. Failed to find !1.'],
  ['/unlink #1', issue, { unlink_issue_ids: [101] }, 'Removed linked item #1.'],
  ['/blocks #1', issue, { blocks_issue_ids: [101] }, 'Added #1 as a linked item blocked by this issue.'],
  ['/blocked_by #1', issue, { blocked_by_issue_ids: [101] }, 'Added #1 as a linked item blocking this issue.'],
  ['/move g/p', issue, { target_project_id: 31 }, 'Moved this issue to g/p.'],
  [
    '/move g/nope',
    issue,
    {},
    "Could not apply move command. Failed to move this issue because target project doesn't exist.",
  ],
  ['/clone', issue, { target_clone_project_id: 31, clone_with_notes: false }, 'Cloned this issue to g/p.'],
  [
    '/clone g/p --with_notes',
    issue,
    { target_clone_project_id: 31, clone_with_notes: true },
    'Cloned this issue to g/p.',
  ],
  ['/copy_metadata #2', issue, { add_label_ids: [11], milestone_id: 21 }, 'Copied labels and milestone from #2.'],
  ['/promote', issue, { promote_to_epic: true }, 'Promoted issue to an epic.'],
  ['/promote', merge, {}, 'Could not apply promote command.'],
  ['/epic &1', issue, { parent_id: 101 }, 'Added an issue to an epic.'],
  ['/remove_epic', { ...issue, hasParent: true }, { parent_id: null }, 'Removed an issue from an epic.'],
  ['/weight 3', issue, { weight: 3 }, 'Set weight to 3.'],
  ['/weight -3', issue, {}, ''],
  ['/clear_weight', { ...issue, weight: 3 }, { weight: null }, 'Cleared weight.'],
  ['/health_status on track', issue, { health_status: 'on_track' }, 'Set health status to on track.'],
  ['/iteration *iteration:5', issue, { iteration_id: 5 }, 'Set the iteration to *iteration:5.'],
  ['/type incident', issue, { issue_type: 'incident' }, 'Type changed successfully.'],
  ['/target_branch main', merge, { target_branch: 'main' }, 'Set target branch to main.'],
  ['/target_branch nope', merge, {}, ''],
  ['/merge', merge, { merge: true }, 'Merged this merge request.'],
  ['/merge', { ...merge, draft: true }, {}, 'Could not apply merge command.'],
  ['/rebase', merge, { rebase: true }, 'Scheduled a rebase of branch topic.'],
  ['/draft', merge, { wip_event: 'draft' }, 'Marked this merge request as a draft.'],
  ['/ready', { ...merge, draft: true }, { wip_event: 'ready' }, 'Marked this merge request as ready.'],
  ['/approve', merge, { approve: true }, 'Approved the current merge request.'],
  ['/unapprove', { ...merge, approved: true }, { unapprove: true }, 'Unapproved the current merge request.'],
  ['/approve', { ...merge, state: 'merged' }, {}, 'Could not apply approve command.'],
  ['/request_changes', merge, { request_changes: true }, 'Changes requested to the current merge request.'],
  ['/submit_review', merge, { submit_review: true }, 'Submitted the current review.'],
  ['/submit_review approve', merge, { submit_review: true, approve: true }, 'Submitted the current review.'],
  [
    '/submit_review approve',
    { ...merge, approved: true },
    {},
    'Could not apply submit_review command. You cannot approve this merge request.',
  ],
  [
    '/submit_review requested_changes',
    merge,
    { submit_review: true, request_changes: true },
    'Submitted the current review.',
  ],
  ['/run_pipeline', merge, { run_pipeline: true }, 'Started a pipeline for this merge request.'],
  ['/run_pipeline', { ...merge, state: 'closed' }, {}, 'Could not apply run_pipeline command.'],
  [
    '/tag v1 first one',
    { kind: 'commit', state: 'opened' },
    { tag_name: 'v1', tag_message: 'first one' },
    'Tagged this commit to v1 with "first one".',
  ],
  ['/ship', merge, {}, 'Could not apply ship command.'],
  [
    '/close\n/label ~bug',
    issue,
    { state_event: 'close', add_label_ids: [11] },
    'Closed this issue. Added ~"bug" label.',
  ],
];

describe('quick actions', () => {
  for (const [text, subject, changes, message] of cases) {
    it(`${JSON.stringify(text)} on a ${subject.state} ${subject.kind} yields ${JSON.stringify(message)}`, () => {
      const outcome = run(text, subject);
      assert.deepEqual(outcome.changes, changes);
      assert.deepEqual(summaryOf(outcome.messages), message === '' ? [] : [message]);
      assert.equal(outcome.actions.onlyCommands, true);
    });
  }

  it('require exactly their own permission', () => {
    for (const { name, right, on } of commands) {
      const kind = on[0];
      assert.ok(kind !== undefined);
      const { changes, messages } = run(`/${name} x`, { kind, state: 'opened' }, (requested) => requested !== right);
      assert.deepEqual(changes, {}, name);
      assert.deepEqual(messages, [`Could not apply ${name} command.`]);
    }
  });

  it('have no effect if the item does not support them', () => {
    const { changes, messages } = run('/close', issue, () => true, new Set());
    assert.deepEqual([changes, messages], [{}, ['Could not apply close command.']]);
  });

  it('have unique names and aliases', () => {
    const names = commands.flatMap(({ name, aliases }) => [name, ...aliases]);
    assert.equal(new Set(names).size, names.length);
  });

  it('request all lookups at once', () => {
    const { wanted, body, onlyCommands, names } = readQuickActions(
      'Text\n\n/assign @ann me\n/reviewer @bob\n/label ~a ~"b c"\n/milestone %m\n/relate #1\n/move g/p\n/target_branch b',
      '2026-01-28',
      [0, 2, 3, 4, 5, 6, 7, 8],
    );
    assert.deepEqual(wanted, {
      usernames: ['ann', 'bob'],
      labels: ['a', 'b c'],
      milestones: ['m'],
      items: ['#1'],
      projects: ['g/p'],
      branches: ['b'],
      iterations: [],
    });
    assert.equal(body, 'Text');
    assert.equal(onlyCommands, false);
    assert.deepEqual(names, ['assign', 'assign_reviewer', 'label', 'milestone', 'relate', 'move', 'target_branch']);
  });

  it('are limited in number, and so are the users they name', () => {
    const taken = (lines: number) => {
      const many = '/close\n'.repeat(lines);
      return readQuickActions(many, '2026-01-28', paragraphLines(many)).names.length;
    };
    assert.deepEqual([taken(1000), taken(1001)], [100, 0]);
    const crowd = Array.from({ length: 101 }, (_, at) => `@user${at}`).join(' ');
    assert.deepEqual(readQuickActions(`/assign ${crowd}`, '2026-01-28', [0]).wanted.usernames, []);
  });
});
