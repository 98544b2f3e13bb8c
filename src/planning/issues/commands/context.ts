import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { basicUsers } from '../../../people/users/public.ts';
import { labelsById } from '../../labels/public.ts';
import { milestonesById } from '../../milestones/public.ts';
import {
  type CommandPermission,
  type Context,
  type FoundItem,
  type LookupRequest,
  type LookupResults,
  lookUp,
} from '../../quick-actions/public.ts';
import { hasPendingTodo } from '../../todos/public.ts';
import { mayPlan, mayUpdate } from '../access.ts';
import { targetOf } from '../changes/records.ts';
import { type IssueState, isSubscribed, stateOf } from '../service.ts';
import { issuesById } from '../store.ts';
import type { IssueType } from '../tables.ts';

const kinds = { issue: 'issue', incident: 'incident', task: 'task', test_case: 'issue' } as const;

/** Loads the data of an issue that quick actions depend on, and the writer's permissions on it. */
export async function contextOf(
  services: Services,
  writer: SignedInActor,
  subject: ProjectSubject,
  state: IssueState,
  may: { readonly comment: boolean },
  wanted: Required<LookupRequest>,
): Promise<Context> {
  const { read } = services.db;
  const { issue, assigneeIds, labelIds } = state;
  const [users, labels, milestones, found, subscribed, pendingTodo] = await Promise.all([
    basicUsers(read, assigneeIds, services.externalUrl),
    labelsById(read, labelIds),
    milestonesById(read, [issue.milestone_id]),
    lookUp(services, writer, subject, wanted),
    isSubscribed(read, writer, state),
    hasPendingTodo(read, writer.user.id, targetOf(issue)),
  ]);
  const [columnsOf] = wanted.labels.length === 0 ? [] : services.contributions('issues.boardColumns');
  const columns = await columnsOf?.(read, subject.project.id);
  const updates = mayUpdate(writer, subject, issue, assigneeIds);
  const plans = mayPlan(subject, issue);
  const promotions = services
    .contributions('issues.promotion')
    .map(({ may }) => may(services, writer, subject, issue.id));
  const opens = services.contributions('issues.requestOpener').some((opener) => opener.may(subject));
  const promotes = (await Promise.all(promotions)).some((allowed) => allowed);
  return {
    ...moment(services, writer),
    subject: {
      kind: kinds[issue.issue_type],
      state: issue.state,
      assignees: assigneeIds.flatMap((id) => users.get(id) ?? []),
      labels,
      milestone: (issue.milestone_id !== null && milestones.get(issue.milestone_id)) || null,
      dueDate: issue.due_date,
      timeEstimate: issue.time_estimate,
      totalTimeSpent: issue.total_time_spent,
      confidential: issue.confidential === 1,
      discussionLocked: issue.discussion_locked === 1,
      weight: issue.weight,
      healthStatus: issue.health_status,
      hasParent: issue.epic_id !== null,
      iteration: issue.iteration_id === null ? null : { id: issue.iteration_id, title: '' },
      subscribed,
      pendingTodo,
      ...(columns && { boardColumns: columns }),
    },
    can: rightsIn({ ...may, updates, promotes, opens, plans, sets: plans }),
    found: await withMetadata(services, subject, wanted, found),
  };
}

/** Like contextOf, for an issue that is about to be created. */
export async function contextOfNew(
  services: Services,
  writer: SignedInActor,
  subject: ProjectSubject,
  type: IssueType,
  wanted: Required<LookupRequest>,
): Promise<Context> {
  const found = await lookUp(services, writer, subject, wanted);
  const plans = mayPlan(subject, { issue_type: type });
  const sets = subject.can('set_new_issue_metadata');
  return {
    ...moment(services, writer),
    subject: { kind: kinds[type], state: 'opened' },
    can: rightsIn({ comment: true, updates: true, promotes: false, opens: false, plans, sets }),
    found: await withMetadata(services, subject, wanted, found),
  };
}

function moment(
  { settings }: Services,
  { user }: SignedInActor,
): Pick<Context, 'writer' | 'now' | 'today' | 'hoursOnly'> {
  const now = new Date();
  return {
    writer: { id: user.id, username: user.username },
    now,
    today: now.toISOString().slice(0, 10),
    hoursOnly: settings.latest().time_tracking_limit_to_hours,
  };
}

function rightsIn({
  comment,
  updates,
  promotes,
  opens,
  plans,
  sets,
}: Readonly<Record<'comment' | 'updates' | 'promotes' | 'opens' | 'plans' | 'sets', boolean>>): (
  right: CommandPermission,
) => boolean {
  const rights: Readonly<Record<CommandPermission, boolean>> = {
    read: true,
    comment,
    award: comment,
    update: updates,
    set_metadata: sets,
    admin: plans,
    track_time: plans,
    link: plans,
    move: plans,
    promote: promotes,
    merge: false,
    push: false,
    approve: false,
    review: false,
    run_pipeline: false,
    create_merge_request: opens,
  };
  return (right) => rights[right];
}

/** Adds labels and milestone to issues of the same project, for `/copy_metadata`. */
export async function withMetadata(
  { db }: Services,
  { project }: ProjectSubject,
  { items }: Required<LookupRequest>,
  found: LookupResults,
): Promise<LookupResults> {
  const own = items.flatMap((word) => {
    const item = found.item(word);
    return item?.kind === 'issue' && item.projectId === project.id ? [[word, item] as const] : [];
  });
  if (own.length === 0) return found;
  const rows = await issuesById(
    db.read,
    own.map(([, { id }]) => id),
  );
  const complete = new Map<string, FoundItem>();
  for (const [word, item] of own) {
    const issue = rows.get(item.id);
    if (!issue) continue;
    const { labelIds } = await stateOf(db.read, issue);
    const milestones = await milestonesById(db.read, [issue.milestone_id]);
    const milestone = (issue.milestone_id !== null && milestones.get(issue.milestone_id)) || null;
    complete.set(word, { ...item, labels: await labelsById(db.read, labelIds), milestone });
  }
  return { ...found, item: (word) => complete.get(word) ?? found.item(word) };
}
