import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { protectedNames } from '../../../code/protected-refs/public.ts';
import { type LabelRow, labelsById } from '../../../planning/labels/public.ts';
import { formattedDuration } from '../../../planning/time-tracking/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';
import {
  approvalRulesOf,
  areThreadsResolved,
  hasMerged,
  type RequestState,
  rerequestedReviewers,
} from '../../../review/merge-requests/public.ts';
import { type Change, changedAttributes, withTimeChange } from './changes.ts';
import { labelPart, timeChange, usersOf } from './issue.ts';
import {
  locateProject,
  type ProjectWithNamespace,
  projectPart,
  repositoryPart,
  userPart,
  utcText,
  webUrl,
} from './parts.ts';
import { commitPart } from './push.ts';

const stateIds = { opened: 1, closed: 2, merged: 3, locked: 4 } as const;

const detailed: Readonly<Record<string, string>> = {
  can_be_merged: 'mergeable',
  cannot_be_merged: 'conflict',
  cannot_be_merged_recheck: 'conflict',
  checking: 'checking',
  preparing: 'preparing',
};

export const detailedStatus = (status: string): string => detailed[status] ?? 'unchecked';

async function isProtected(db: Reader, { project }: ProjectWithNamespace, branch: string): Promise<boolean> {
  const rules = (await protectedNames(db, [project])).get(project.id) ?? [];
  return rules.some(({ name }) => matchesWildcard(name, branch));
}

/** Attributes of a merge request, in its own payload and in those of its notes. */
export async function requestPart(services: Services, db: Reader, located: ProjectWithNamespace, state: RequestState) {
  const { request, assigneeIds, reviewerIds } = state;
  const sourceId = request.source_project_id;
  const source = sourceId === null ? undefined : await locateProject(db, sourceId);
  const labels = await labelsById(db, state.labelIds);
  const { git } = services;
  const head =
    request.head_sha === null ? null : await git.objects(git.repository(request.project_id)).commit(request.head_sha);
  const attributes = {
    assignee_id: assigneeIds[0] ?? null,
    author_id: request.author_id,
    created_at: instant(request.created_at),
    description: request.description,
    blocking_discussions_resolved: await areThreadsResolved(db, request),
    draft: request.draft === 1,
    first_contribution: !(await hasMerged(db, request.project_id, request.author_id)),
    head_pipeline_id: request.head_pipeline_id,
    id: request.id,
    iid: request.iid,
    last_edited_at: instantOrNull(request.last_edited_at),
    last_edited_by_id: request.last_edited_by_id,
    merge_commit_sha: request.merge_commit_sha,
    merged_at: instantOrNull(request.merged_at),
    merge_error: request.merge_error,
    merge_params: { force_remove_source_branch: request.force_remove_source_branch === 1 ? '1' : '0' },
    merge_status: request.merge_status,
    merge_user_id: request.merge_user_id,
    merge_when_pipeline_succeeds: request.auto_merge !== 0,
    milestone_id: request.milestone_id,
    source_branch: request.source_branch,
    source_project_id: sourceId,
    squash_commit_sha: request.squash_commit_sha,
    state_id: stateIds[request.state],
    state: request.state,
    target_branch: request.target_branch,
    target_branch_protected: await isProtected(db, located, request.target_branch),
    target_project_id: request.project_id,
    time_estimate: request.time_estimate,
    title: request.title,
    updated_at: instant(request.updated_at),
    updated_by_id: request.updated_by_id,
    prepared_at: instantOrNull(request.prepared_at),
    assignee_ids: [...assigneeIds],
    reviewer_ids: [...reviewerIds],
    detailed_merge_status: detailedStatus(request.merge_status),
    human_time_change: null,
    human_time_estimate: formattedDuration(services, request.time_estimate),
    human_total_time_spent: formattedDuration(services, request.total_time_spent),
    labels: labels.map(labelPart),
    last_commit: head ? commitPart(head, webUrl(services, source ?? located)) : null,
    source: source ? projectPart(services, source) : null,
    target: projectPart(services, located),
    time_change: 0,
    total_time_spent: request.total_time_spent,
    url: `${webUrl(services, located)}/-/merge_requests/${request.iid}`,
    work_in_progress: request.draft === 1,
  };
  return { attributes, labels };
}

/** The approval rules that apply to a merge request, in the shape of a merge request's own rules. */
export async function approvalRulesPart(services: Services, db: Reader, { request }: RequestState) {
  const rules = (await approvalRulesOf(services, db, [request])).get(request.id) ?? [];
  return rules.map(({ rule }) => ({
    id: rule.id,
    approvals_required: rule.approvals_required,
    name: rule.name,
    rule_type: rule.rule_type,
    report_type: rule.report_type,
    merge_request_id: request.id,
    section: rule.section,
    modified_from_project_rule: rule.merge_request_id !== null && rule.source_rule_id !== null,
    project_id: rule.project_id,
    created_at: utcText(rule.created_at),
    updated_at: utcText(rule.updated_at),
  }));
}

const compared = [
  'title',
  'description',
  'draft',
  'merge_status',
  'merge_error',
  'merge_user_id',
  'merge_commit_sha',
  'merge_when_pipeline_succeeds',
  'squash_commit_sha',
  'head_pipeline_id',
  'milestone_id',
  'source_branch',
  'target_branch',
  'state_id',
  'time_estimate',
  'total_time_spent',
  'prepared_at',
  'updated_at',
  'updated_by_id',
  'last_edited_at',
  'last_edited_by_id',
] as const;

interface Side {
  readonly attributes: Awaited<ReturnType<typeof requestPart>>['attributes'];
  readonly labels: readonly LabelRow[];
  readonly assignees: readonly UserPart[];
  readonly reviewers: readonly ReviewerPart[];
}

type UserPart = ReturnType<typeof userPart>;

interface ReviewerPart extends UserPart {
  readonly state: string;
  readonly re_requested: boolean;
}

/** Whether the users differ, or, with `alsoStates`, their review states. */
function areOthers(before: readonly UserPart[], after: readonly UserPart[], alsoStates: boolean): boolean {
  const shown = (list: readonly (UserPart & { readonly state?: string })[]) =>
    list.map(({ id, state }) => (alsoStates ? `${id} ${state}` : id)).join();
  return shown(before) !== shown(after);
}

function changesBetween(before: Side | undefined, after: Side, alsoStates: boolean): Record<string, Change> {
  const now = after.attributes;
  if (!before) {
    // GitLab reports what has changed since the row was inserted, which is its preparation.
    const inserted = { ...now, merge_status: 'preparing' as const, prepared_at: null, updated_at: now.created_at };
    return changedAttributes(compared, inserted, now);
  }
  const changes = withTimeChange(changedAttributes(compared, before.attributes, now), before.attributes, now);
  const ids = (list: readonly { id: number }[]) => list.map(({ id }) => id).join();
  if (ids(before.labels) !== ids(after.labels)) {
    changes.labels = { previous: before.labels.map(labelPart), current: after.labels.map(labelPart) };
  }
  for (const name of ['assignees', 'reviewers'] as const) {
    if (areOthers(before[name], after[name], alsoStates)) {
      changes[name] = { previous: before[name], current: after[name] };
    }
  }
  return changes;
}

/** Payload for a merge request event. */
export async function requestPayload(
  services: Services,
  db: Reader,
  located: ProjectWithNamespace,
  user: User,
  { action, before, after, oldHead, systemAction }: Omit<DomainEvents['merge-request.changed'], 'actorId'>,
): Promise<object> {
  const sideOf = async (state: RequestState, again: readonly number[] = []): Promise<Side> => ({
    ...(await requestPart(services, db, located, state)),
    assignees: (await usersOf(db, state.assigneeIds)).map((each) => userPart(services, each)),
    reviewers: (await usersOf(db, state.reviewerIds)).map((each) => ({
      ...userPart(services, each),
      state: state.reviewStates.get(each.id) ?? 'unreviewed',
      re_requested: again.includes(each.id),
    })),
  });
  const now = await sideOf(after, rerequestedReviewers(before, after));
  // Approvals have actions of their own.
  const changes = changesBetween(before && (await sideOf(before)), now, action === 'update');
  return {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: userPart(services, user),
    project: projectPart(services, located),
    object_attributes: {
      ...now.attributes,
      ...timeChange(services, before?.request, after.request),
      approval_rules: await approvalRulesPart(services, db, after),
      action,
      actioned_at: instant(Date.now()),
      system: systemAction !== undefined,
      ...(systemAction && { system_action: systemAction }),
      ...(oldHead === undefined ? {} : { oldrev: oldHead }),
    },
    labels: now.labels.map(labelPart),
    changes,
    repository: repositoryPart(services, located),
    ...(now.assignees.length > 0 ? { assignees: now.assignees } : {}),
    ...(now.reviewers.length > 0 ? { reviewers: now.reviewers } : {}),
  };
}
