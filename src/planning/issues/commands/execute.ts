import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { awards } from '../../award-emoji/public.ts';
import { titlesById } from '../../labels/public.ts';
import type { Changes } from '../../quick-actions/public.ts';
import { setSubscription } from '../../subscriptions/public.ts';
import { estimateChange, spendCommandChange } from '../../time-tracking/public.ts';
import { addTodo, finishTodos } from '../../todos/public.ts';
import { targetOf } from '../changes/records.ts';
import { changeIssue, type IssueChange } from '../changes/update.ts';
import type { LongTexts } from '../moving/long-texts.ts';
import { type IssueState, stateOf } from '../service.ts';
import { requireIssue } from '../store.ts';
import { issueTypes, severities } from '../tables.ts';
import { changeTimes } from '../time-tracking/service.ts';
import { executeMoves } from './moves.ts';
import { executeRelations } from './relations.ts';

/** Promotion of an issue to an epic by `/promote`, contributed by the epics area. */
interface Promotion {
  may(services: Services, caller: SignedInActor, subject: ProjectSubject, issueId: number): Promise<boolean>;
  promote(
    services: Services,
    trx: Writer,
    caller: SignedInActor,
    subject: ProjectSubject,
    state: IssueState,
    longTexts: LongTexts,
  ): Promise<unknown>;
}

declare module '../../../platform/domain-events.ts' {
  interface Contributions {
    'issues.promotion': Promotion;
  }
}

/** Quick actions that issues support; other known commands have no effect on issues. */
export const issueCommands: ReadonlySet<string> = new Set([
  'close',
  'reopen',
  'title',
  'lock',
  'unlock',
  'confidential',
  'todo',
  'done',
  'subscribe',
  'unsubscribe',
  'react',
  'assign',
  'reassign',
  'unassign',
  'label',
  'unlabel',
  'relabel',
  'copy_metadata',
  'milestone',
  'remove_milestone',
  'due',
  'remove_due_date',
  'weight',
  'clear_weight',
  'health_status',
  'clear_health_status',
  'estimate',
  'remove_estimate',
  'spend',
  'remove_time_spent',
  'iteration',
  'remove_iteration',
  'severity',
  'promote',
  'promote_to',
  'promote_to_incident',
  'type',
  'set_parent',
  'remove_parent',
  'relate',
  'unlink',
  'blocks',
  'blocked_by',
  'duplicate',
  'move',
  'clone',
  'board_move',
  'create_merge_request',
]);

/** The subset of quick actions that apply to a new issue. */
export const newIssueCommands: ReadonlySet<string> = new Set([
  'confidential',
  'assign',
  'reassign',
  'label',
  'relabel',
  'copy_metadata',
  'milestone',
  'due',
  'weight',
  'health_status',
  'estimate',
  'spend',
  'iteration',
  'severity',
  'set_parent',
]);

const among = <const V extends string>(values: readonly V[], value: string | undefined) =>
  values.find((one) => one === value);

/** Converts the result of quick actions to the attributes of an API update. */
export async function issueChangeFromCommands(db: Reader, changes: Changes): Promise<IssueChange> {
  const issue_type = among(issueTypes, changes.issue_type);
  const severity = among(severities, changes.severity);
  const { state_event, title, assignee_ids, milestone_id, due_date, discussion_locked, confidential, weight } = changes;
  const given: IssueChange = {
    ...(state_event && { state_event }),
    ...(title !== undefined && { title }),
    ...(assignee_ids && { assignee_ids }),
    ...(milestone_id !== undefined && { milestone_id }),
    ...(due_date !== undefined && { due_date }),
    ...(discussion_locked !== undefined && { discussion_locked }),
    ...(confidential !== undefined && { confidential }),
    ...(weight !== undefined && { weight }),
    ...(changes.iteration_id !== undefined && { iteration_id: changes.iteration_id }),
    ...(issue_type && { issue_type }),
    ...(changes.parent_id !== undefined && { epic_id: changes.parent_id }),
    ...(severity && { severity }),
    ...(changes.label_ids && { labels: await titlesById(db, changes.label_ids) }),
    ...(changes.add_label_ids && { add_labels: await titlesById(db, changes.add_label_ids) }),
    ...(changes.remove_label_ids && { remove_labels: await titlesById(db, changes.remove_label_ids) }),
    ...(changes.health_status !== undefined && {
      health_status: among(['on_track', 'needs_attention', 'at_risk'], changes.health_status ?? undefined) ?? null,
    }),
  };
  return given;
}

/** Executes the quick actions of a text on an issue, in the transaction that stores the text. */
export async function executeCommands(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  subject: ProjectSubject,
  issueId: number,
  changes: Changes,
  longTexts: LongTexts,
): Promise<void> {
  const change = await issueChangeFromCommands(trx, changes);
  if (Object.keys(change).length > 0) await changeIssue(services, trx, writer, subject, issueId, change);
  await executeSideEffects(services, trx, writer, subject, issueId, changes);
  await executeRelations(services, trx, writer, subject, issueId, changes);
  await executeMoves(services, trx, writer, subject, issueId, changes, longTexts);
  if (!changes.promote_to_epic) return;
  const state = await stateOf(trx, await requireIssue(trx, issueId));
  for (const { promote } of services.contributions('issues.promotion')) {
    await promote(services, trx, writer, subject, state, longTexts);
  }
}

/** Executes the quick actions that do not change the issue row itself. */
export async function executeSideEffects(
  services: Services,
  trx: Writer,
  { user }: SignedInActor,
  subject: ProjectSubject,
  issueId: number,
  { time_estimate, spend_time, todo_event, subscription_event, emoji_award }: Changes,
): Promise<void> {
  const target = targetOf({ id: issueId, project_id: subject.project.id });
  if (time_estimate !== undefined) await changeTimes(services, trx, issueId, user.id, estimateChange(time_estimate));
  if (spend_time) await changeTimes(services, trx, issueId, user.id, spendCommandChange(spend_time));
  if (subscription_event) await setSubscription(trx, user.id, target, subscription_event === 'subscribe');
  if (emoji_award)
    await awards.toggleAward(services, trx, user.id, { target, about: target, mayAward: true }, emoji_award);
  // Must be last: acting on an issue completes the user's pending to-do item for it.
  if (todo_event === 'add') await addTodo(trx, { userId: user.id, authorId: user.id, target, action: 'marked' });
  if (todo_event === 'done') await finishTodos(trx, user.id, target);
}
