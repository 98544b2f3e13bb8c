import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { basicUsers } from '../../../people/users/public.ts';
import { withMetadata as withIssues } from '../../../planning/issues/public.ts';
import { labelsById } from '../../../planning/labels/public.ts';
import { milestonesById } from '../../../planning/milestones/public.ts';
import {
  type CommandPermission,
  type Context,
  type FoundItem,
  type LookupRequest,
  type LookupResults,
  lookUp,
  type Person,
} from '../../../planning/quick-actions/public.ts';
import { hasPendingTodo } from '../../../planning/todos/public.ts';
import { mayUpdate } from '../access.ts';
import { approvalSettings } from '../approvals/settings.ts';
import { mayApprove, mayReview } from '../approvals/verdict.ts';
import { isDraft } from '../changes/draft.ts';
import { requestTarget } from '../changes/records.ts';
import { mayMerge } from '../detail.ts';
import { mayRebase } from '../merge/rebase.ts';
import { mayRun } from '../pipelines/service.ts';
import { isSubscribed, type RequestState, stateOf } from '../service.ts';
import { approvals, requestById } from '../store.ts';
import { tipOf } from '../versions/collect.ts';

/** Permissions and state of the writer. */
export interface WriterPermissions {
  readonly comment: boolean;
  /** Whether the head is the one that the writer saw; `/merge` must not merge commits pushed since. */
  readonly sawHead: boolean;
}

/** Loads the data of a merge request that quick actions depend on, and the writer's permissions on it. */
export async function contextOf(
  services: Services,
  writer: SignedInActor,
  subject: ProjectSubject,
  state: RequestState,
  { comment, sawHead }: WriterPermissions,
  wanted: Required<LookupRequest>,
): Promise<Context> {
  const { read } = services.db;
  const { request, assigneeIds, reviewerIds, labelIds } = state;
  const [users, labels, milestones, found, subscribed, pendingTodo, given, merges, rebases, approves, runs] =
    await Promise.all([
      basicUsers(read, [...assigneeIds, ...reviewerIds], services.externalUrl),
      labelsById(read, labelIds),
      milestonesById(read, [request.milestone_id]),
      findings(services, writer, subject, wanted),
      isSubscribed(read, writer, state),
      hasPendingTodo(read, writer.user.id, requestTarget(request)),
      approvals(read, [request.id]),
      mayMerge(services, writer, subject, request.target_branch),
      mayRebase(services, writer, request),
      mayApproveByCommand(services, writer, subject, state),
      mayRun(services, writer, request),
    ]);
  const updates = mayUpdate(writer, subject, request, assigneeIds);
  const admins = subject.can('admin_merge_request');
  const people = (ids: readonly number[]) => ids.flatMap((id) => users.get(id) ?? []);
  return {
    ...moment(services, writer),
    subject: {
      kind: 'merge_request',
      state: request.state,
      assignees: people(assigneeIds),
      reviewers: people(reviewerIds),
      labels,
      milestone: (request.milestone_id !== null && milestones.get(request.milestone_id)) || null,
      timeEstimate: request.time_estimate,
      totalTimeSpent: request.total_time_spent,
      discussionLocked: request.discussion_locked === 1,
      draft: isDraft(request.title),
      sourceBranch: request.source_branch,
      subscribed,
      pendingTodo,
      approved: (given.get(request.id) ?? []).some(({ user_id }) => user_id === writer.user.id),
    },
    can: allowing({
      read: true,
      comment,
      award: comment,
      update: updates,
      set_metadata: admins,
      admin: admins,
      track_time: admins,
      merge: merges && sawHead,
      push: rebases,
      approve: approves,
      review: mayReview(writer, subject, state),
      run_pipeline: runs,
    }),
    found,
  };
}

/** Like contextOf, for a merge request that is about to be created. */
export async function contextOfNew(
  services: Services,
  writer: SignedInActor,
  target: ProjectSubject,
  { title, assignees, reviewers }: Readonly<Record<'assignees' | 'reviewers', readonly Person[]>> & { title: string },
  wanted: Required<LookupRequest>,
): Promise<Context> {
  const admins = target.can('admin_merge_request');
  return {
    ...moment(services, writer),
    subject: {
      kind: 'merge_request',
      state: 'opened',
      assignees,
      reviewers,
      labels: [],
      draft: isDraft(title),
      subscribed: true,
    },
    can: allowing({ read: true, comment: true, update: true, set_metadata: admins, admin: admins, track_time: admins }),
    found: await findings(services, writer, target, wanted),
  };
}

const allowing = (rights: Partial<Record<CommandPermission, boolean>>) => (right: CommandPermission) =>
  rights[right] ?? false;

function moment({ settings }: Services, { user }: SignedInActor) {
  const now = new Date();
  return {
    writer: { id: user.id, username: user.username },
    now,
    today: now.toISOString().slice(0, 10),
    hoursOnly: settings.latest().time_tracking_limit_to_hours,
  };
}

/** A quick action cannot provide the password that the project may require for approvals. */
async function mayApproveByCommand(
  services: Services,
  writer: SignedInActor,
  subject: ProjectSubject,
  state: RequestState,
): Promise<boolean> {
  const settings = await approvalSettings(services, services.db.read, state.request.project_id);
  if (settings.require_password_to_approve || settings.require_reauthentication_to_approve) return false;
  return mayApprove(services, writer, subject, state);
}

/** Looks up the objects named in commands, including branches and the items whose metadata is copied. */
async function findings(
  services: Services,
  writer: SignedInActor,
  subject: ProjectSubject,
  wanted: Required<LookupRequest>,
): Promise<LookupResults> {
  const found = await lookUp(services, writer, subject, wanted);
  const { id } = subject.project;
  const tips = await Promise.all(wanted.branches.map((branch) => tipOf(services, id, branch)));
  const branches = new Set(wanted.branches.filter((_, at) => tips[at] !== null));
  const complete = await withRequests(services, subject, wanted, await withIssues(services, subject, wanted, found));
  return { ...complete, branch: (name) => branches.has(name) };
}

/** Adds labels and milestone to merge requests of the same project, for `/copy_metadata`. */
async function withRequests(
  { db }: Services,
  { project }: ProjectSubject,
  { items }: Required<LookupRequest>,
  found: LookupResults,
): Promise<LookupResults> {
  const complete = new Map<string, FoundItem>();
  for (const word of items) {
    const item = found.item(word);
    if (item?.kind !== 'merge_request' || item.projectId !== project.id) continue;
    const request = await requestById(db.read, item.id);
    if (!request) continue;
    const { labelIds } = await stateOf(db.read, request);
    const milestones = await milestonesById(db.read, [request.milestone_id]);
    const milestone = (request.milestone_id !== null && milestones.get(request.milestone_id)) || null;
    complete.set(word, { ...item, labels: await labelsById(db.read, labelIds), milestone });
  }
  return complete.size === 0 ? found : { ...found, item: (word) => complete.get(word) ?? found.item(word) };
}
