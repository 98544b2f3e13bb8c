import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject, settingsOf } from '../../../access/subjects.ts';
import type { Project } from '../../../access/tables.ts';
import { nextInternalId } from '../../../namespaces/internal-ids/public.ts';
import { mergeCommandChanges, milestoneFor, requestedLabels } from '../../../planning/issues/public.ts';
import { labelsToSet } from '../../../planning/labels/public.ts';
import { type Changes, readCommands } from '../../../planning/quick-actions/public.ts';
import { recordMilestone } from '../../../planning/resource-events/public.ts';
import { setSubscription } from '../../../planning/subscriptions/public.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { fault } from '../../../platform/faults.ts';
import { Forbidden, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { ownersOf } from '../approvals/code-owners/follow.ts';
import { storeOwnerRules } from '../approvals/code-owners/store.ts';
import { setRequired } from '../approvals/required.ts';
import { contextOfNew } from '../commands/context.ts';
import { changeOf, executeSideEffects, newRequestCommands } from '../commands/execute.ts';
import { presentDetail } from '../detail.ts';
import { enqueueRefresh } from '../follow/refresh-queue.ts';
import { checkBranches, writeRefs } from '../mergeability/check.ts';
import type { DetailEntity, NewRequestParams } from '../schema.ts';
import { type RequestState, stateOf } from '../service.ts';
import { mergeSettings } from '../settings.ts';
import * as store from '../store.ts';
import { type Branches, collectVersion, tipsOf } from '../versions/collect.ts';
import { addVersion } from '../versions/store.ts';
import { mayCollaborate, refuseDuplicate } from './branches.ts';
import { isDraft } from './draft.ts';
import { filterAssignableUsers, setAssignees, setLabels, setReviewers } from './metadata.ts';
import { recordActivity, recordConflict, requestTarget } from './records.ts';
import * as changes from './rules.ts';

/** Delay after which the refs of a new merge request have been written, unless its server has stopped. */
const refsLater = 10_000;

export const networkOf = ({ id, fork_root_id }: Project) => fork_root_id ?? id;

/** The target project: the source project, unless another one is given. */
async function targetFor(
  { db }: Services,
  caller: SignedInActor,
  source: ProjectSubject,
  id: number | undefined,
): Promise<ProjectSubject> {
  if (id === undefined || id === source.project.id) return source;
  const found = await lookUpProject(db.read, `${id}`);
  const target = found && (await projectSubject(db.read, caller, found.project));
  if (!target?.can('read_project')) throw NotFound.record();
  return target;
}

function checkProjects(source: ProjectSubject, target: ProjectSubject, params: NewRequestParams): void {
  if (!target.can('create_merge_request_in')) throw new Forbidden();
  const same = source.project.id === target.project.id;
  if (same && params.source_branch === params.target_branch) {
    throw new Unprocessable(["You can't use same project/branch for source and target"]);
  }
  if (!same && networkOf(source.project) !== networkOf(target.project)) {
    throw new Unprocessable(['Source project is not a fork of the target project']);
  }
}

/** Creates a merge request from a branch of a project. */
export async function openRequest(
  services: Services,
  caller: SignedInActor,
  source: ProjectSubject,
  sent: NewRequestParams,
): Promise<{ readonly state: RequestState; readonly target: ProjectSubject }> {
  const { db, announce } = services;
  const target = await targetFor(services, caller, source, sent.target_project_id);
  const { params, commanded } = await withCommands(services, caller, target, sent);
  checkProjects(source, target, params);
  const branches: Branches = {
    project_id: target.project.id,
    source_project_id: source.project.id,
    source_branch: params.source_branch,
    target_branch: params.target_branch,
  };
  await refuseDuplicate(services, branches);
  const title = changes.checkTitle(params.title);
  const description = changes.checkDescription(params.description ?? null);
  changes.checkBranchNames({ source_branch: params.source_branch, target_branch: params.target_branch });
  const mayAdmin = target.can('admin_merge_request');
  const wanted: Partial<NewRequestParams> = mayAdmin ? params : {};
  const [assignees, reviewers, milestone] = await Promise.all([
    filterAssignableUsers(db.read, target, changes.requestedAssignees(wanted) ?? []),
    filterAssignableUsers(db.read, target, changes.requestedReviewers(wanted) ?? []),
    milestoneFor(db.read, target, wanted.milestone_id ?? null),
  ]);
  const tips = await tipsOf(services, branches);
  const version = await collectVersion(services, branches, tips);
  const checked = await checkBranches(services, branches, tips);
  const nothingYet = { project_id: target.project.id, head_sha: null, base_sha: null };
  const owners = await ownersOf(services, nothingYet, version, tips);
  const shared = params.allow_collaboration ?? params.allow_maintainer_to_push ?? false;
  const { squash } = mergeSettings(settingsOf(target.project));
  const now = Date.now();
  const userId = caller.user.id;
  const row = {
    ...branches,
    ...checked,
    title,
    description,
    draft: isDraft(title) ? 1 : 0,
    author_id: userId,
    milestone_id: milestone?.id ?? null,
    milestone_due_date: milestone?.due_date ?? null,
    force_remove_source_branch: params.remove_source_branch === undefined ? null : params.remove_source_branch ? 1 : 0,
    squash: (params.squash ?? (squash === 'default_on' || squash === 'always')) ? 1 : 0,
    allow_collaboration:
      shared && (await mayCollaborate(services, caller, source, target, params.source_branch)) ? 1 : 0,
    approvals_before_merge: changes.checkApprovals(wanted.approvals_before_merge ?? null),
    merge_after: changes.readMergeAfter(params.merge_after ?? null),
    prepared_at: now,
    created_at: now,
    updated_at: now,
  };
  const state = await db
    .write(async (trx) => {
      const iid = await nextInternalId(trx, { project_id: target.project.id }, 'merge_requests');
      const inserted = await store.insertRequest(trx, { ...row, iid });
      if (version) await addVersion(trx, inserted, version);
      if (owners) await storeOwnerRules(trx, inserted, owners.rules);
      const empty = { request: inserted, assigneeIds: [], reviewerIds: [], reviewStates: new Map(), labelIds: [] };
      const labels = await labelsToSet(trx, target, requestedLabels([], wanted) ?? []);
      const ids = labels.map(({ id }) => id);
      const label_priority = await setLabels(trx, empty, userId, ids);
      await setAssignees(trx, empty, userId, assignees);
      await setReviewers(trx, empty, userId, reviewers);
      const request = await store.updateRequest(trx, inserted.id, { label_priority });
      const change = { target: requestTarget(request), userId };
      if (milestone) await recordMilestone(trx, change, { before: null, after: milestone.id, state: request.state });
      await setSubscription(trx, userId, requestTarget(request), true);
      await recordActivity(trx, request, userId, 'created');
      if (checked.unmergeable_reason === 'conflict') await recordConflict(services, trx, request);
      const after = await stateOf(trx, request);
      await announce(trx, 'merge-request.changed', { action: 'open', actorId: userId, after });
      await setRequired(services, trx, target, request, params.approval_rules_attributes ?? []);
      await executeSideEffects(services, trx, caller, request, [], commanded);
      // The refs are written right after the transaction; this job does it if the server stops in between.
      await enqueueRefresh(services, trx, request.id, 0, Date.now() + refsLater);
      return { ...after, request: (await store.requestById(trx, request.id)) ?? request };
    })
    .catch(async (error: unknown) => {
      // The same merge request was created concurrently, after the check for duplicates.
      if (uniqueViolation(error)) await refuseDuplicate(services, branches);
      throw error;
    });
  fault('merge-request.created');
  if (version) await writeRefs(services, state.request, version.head, checked);
  return { state, target };
}

/** Removes the quick actions from the description and merges their effect into the submitted attributes. */
async function withCommands(
  services: Services,
  caller: SignedInActor,
  target: ProjectSubject,
  sent: NewRequestParams,
): Promise<{ readonly params: NewRequestParams; readonly commanded: Changes }> {
  if (!sent.description) return { params: sent, commanded: {} };
  const { read } = services.db;
  const idsOf = (wanted: readonly number[] = []) => filterAssignableUsers(read, target, wanted);
  const { body, changes: commanded } = await readCommands(sent.description, {
    supported: newRequestCommands,
    context: async (wanted) => {
      const assignees = await idsOf(changes.requestedAssignees(sent));
      const reviewers = await idsOf(changes.requestedReviewers(sent));
      return contextOfNew(services, caller, target, { title: sent.title, assignees, reviewers }, wanted);
    },
  });
  const reviewerIds = changes.requestedReviewers(sent) ?? [];
  const change = await changeOf(read, { title: sent.title, reviewerIds }, commanded);
  const { add_labels } = sent;
  const counted = mergeCommandChanges({ description: body, ...(add_labels && { add_labels }) }, change);
  return { params: { ...sent, ...counted }, commanded };
}

export async function createMergeRequest(
  services: Services,
  caller: SignedInActor,
  source: ProjectSubject,
  params: NewRequestParams,
): Promise<DetailEntity> {
  const { state, target } = await openRequest(services, caller, source, params);
  return presentDetail(services, caller, target, state);
}
