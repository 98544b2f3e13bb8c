import { actorOnBehalfOf, type SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject, settingsOf } from '../../../access/subjects.ts';
import { branchAccess } from '../../../code/protected-refs/public.ts';
import { moveRefs, PushRefused } from '../../../code/pushes/public.ts';
import { defaultBranch } from '../../../code/repository/public.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { changeIssue } from '../../../planning/issues/public.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { fault } from '../../../platform/faults.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { removeApprovalsForTarget } from '../approvals/code-owners/follow.ts';
import { recordNotes } from '../changes/records.ts';
import { commitsOf, issuesToClose } from '../closing/service.ts';
import { enqueueRefresh } from '../follow/refresh-queue.ts';
import { stateOf } from '../service.ts';
import { openInto, requestById, updateRequest } from '../store.ts';
import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';
import { tipsOf } from '../versions/collect.ts';
import { refreshRequest } from '../versions/refresh.ts';
import { autoMergeAbortedNotes, autoMergeResetColumns } from './without-auto-merge.ts';

/** Follow-up work of a completed merge. Idempotent. */
export async function afterMerge(
  services: Services,
  { id, userId, removeSource }: { id: number; userId: number; removeSource: boolean },
): Promise<void> {
  const { read } = services.db;
  const [request, user] = await Promise.all([requestById(read, id), findUser(read, userId)]);
  const project = request && (await findProject(read, request.project_id));
  if (request?.state !== 'merged' || !user || !project) return;
  const merger = actorOnBehalfOf(user);
  const subject = await projectSubject(read, merger, project);
  await closeIssues(services, merger, subject, request);
  fault('merge.issues-closed');
  if (removeSource) await removeSourceBranch(services, merger, request);
  fault('merge.source-removed');
}

/** Closes the issues that the merge request closes, if it was merged into the default branch. */
async function closeIssues(
  services: Services,
  merger: SignedInActor,
  subject: ProjectSubject,
  request: MergeRequestRow,
): Promise<void> {
  if (request.target_branch !== defaultBranch(subject)) return;
  const issues = await issuesToClose(services, merger, subject, request, await commitsOf(services, request));
  for (const { id, subject: place } of issues) {
    if (settingsOf(place.project).autoclose_referenced_issues === false) continue;
    try {
      await services.db.write((trx) => changeIssue(services, trx, merger, place, id, { state_event: 'close' }));
    } catch (error) {
      // The merger may lack permission to close the issue.
      if (!(error instanceof Forbidden)) throw error;
    }
  }
}

/** Deletes the source branch if it is unchanged since the merge, not protected, and the merger may push to it. */
async function removeSourceBranch(services: Services, merger: SignedInActor, request: MergeRequestRow): Promise<void> {
  const { read } = services.db;
  const project = request.source_project_id === null ? undefined : await findProject(read, request.source_project_id);
  if (!project) return;
  const source = await projectSubject(read, merger, project);
  const access = await branchAccess(read, merger, source);
  const branch = request.source_branch;
  if (!source.can('push_code') || access.isProtected(branch) || branch === defaultBranch(source)) return;
  const tips = await tipsOf(services, request);
  if (tips.source === null || tips.source !== request.head_sha) return;
  if (project.id === request.project_id) await retargetChained(services, merger, request);
  const changes = [{ ref: `refs/heads/${branch}`, old: tips.source, new: null }];
  await moveRefs(services, { actor: merger, subject: source, changes, protocol: 'web' }).catch((error: unknown) => {
    if (!(error instanceof PushRefused)) throw error;
  });
}

const maxChained = 4;

/** Retargets merge requests into the deleted branch to the branch that it was merged into. */
async function retargetChained(services: Services, merger: SignedInActor, merged: MergeRequestRow): Promise<void> {
  const chained = await openInto(services.db.read, merged.project_id, merged.source_branch);
  for (const { id } of chained.slice(0, maxChained)) {
    const moved = await services.db
      .write(async (trx) => {
        const locked = await lockRow(trx, 'merge_requests', id);
        if (locked?.state !== 'opened' || locked.target_branch !== merged.source_branch) return false;
        const before = await stateOf(trx, locked);
        const request = await updateRequest(trx, id, {
          target_branch: merged.target_branch,
          ...autoMergeResetColumns(locked),
          version_due: 1,
          updated_at: Date.now(),
        });
        await removeApprovalsForTarget(services, trx, request);
        await enqueueRefresh(services, trx, id);
        await recordNotes(trx, request, merger.user.id, [
          texts.targetMergedAway(merged.source_branch, merged.target_branch),
          ...autoMergeAbortedNotes(locked, 'target branch was merged'),
        ]);
        const after = { ...before, request };
        await services.announce(trx, 'merge-request.changed', {
          action: 'update',
          actorId: merger.user.id,
          before,
          after,
        });
        return true;
      })
      .catch((error: unknown) => {
        // The same source branch already has a merge request into the new target, so this one is not retargeted.
        if (uniqueViolation(error)) return false;
        throw error;
      });
    fault('merge.chained');
    if (moved) await refreshRequest(services, id);
  }
}
