import Type, { type Static } from 'typebox';
import { actorOnBehalfOf, type SignedInActor } from '../../../access/actor.ts';
import { accountRefusal } from '../../../access/credentials/account-state.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { HttpError, NotFound, Unauthorized } from '../../../platform/http/errors.ts';
import { storedJson } from '../../../platform/stored-json.ts';
import { recordNotes } from '../changes/records.ts';
import { checkSha } from '../check-sha.ts';
import { mayMerge } from '../detail.ts';
import { mergeabilities } from '../mergeability/facts.ts';
import { detailedMergeStatus } from '../mergeability/status.ts';
import { requireRequest, stateOf } from '../service.ts';
import { requestById, updateRequest } from '../store.ts';
import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';
import { addCar, removeCar } from '../trains/cars.ts';
import { type AutoMergeJob, enqueueAutoMerge, enqueueFinalCheck } from './auto-merge-queue.ts';
import { performMerge } from './perform.ts';
import type { MergeParams } from './schema.ts';
import { autoMergeAbortedNotes, autoMergeOnTrain, autoMergeResetColumns } from './without-auto-merge.ts';

const AutoMergeParams = Type.Object({
  sha: Type.String(),
  /** Time at which auto-merge was enabled. */
  at: Type.Optional(Type.Integer()),
  merge: Type.Optional(Type.String()),
  squash: Type.Optional(Type.String()),
});
const readAutoMergeParams = storedJson(AutoMergeParams);

/** Enables auto-merge on behalf of the caller. */
export function setAutoMerge(
  services: Services,
  caller: SignedInActor,
  request: MergeRequestRow,
  params: HowMerged,
  by: 'merge' | 'train' = 'merge',
): Promise<MergeRequestRow> {
  return services.db.write((trx) => setAutoMergeIn(services, trx, caller, request, params, by));
}

type HowMerged = Partial<Omit<MergeParams, 'merge_request_iid'>>;

/** Enables auto-merge within the caller's transaction. */
export async function setAutoMergeIn(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  request: MergeRequestRow,
  params: HowMerged = {},
  by: 'merge' | 'train' = 'merge',
): Promise<MergeRequestRow> {
  const asked: Static<typeof AutoMergeParams> = {
    sha: request.head_sha ?? '',
    at: Date.now(),
    ...(params.merge_commit_message !== undefined && { merge: params.merge_commit_message }),
    ...(params.squash_commit_message !== undefined && { squash: params.squash_commit_message }),
  };
  const remove = params.should_remove_source_branch;
  const locked = await lockRow(trx, 'merge_requests', request.id);
  if (locked?.state !== 'opened') throw NotFound.record();
  // A push that was processed in the meantime must not be merged unseen, and auto-merge would wait for the old head
  // forever.
  checkSha(request.head_sha, locked);
  if (locked.auto_merge === autoMergeOnTrain) return locked;
  const set = await updateRequest(trx, request.id, {
    auto_merge: by === 'train' ? autoMergeOnTrain : 1,
    merge_user_id: caller.user.id,
    merge_params: JSON.stringify(asked),
    ...(params.squash === true && { squash: 1 }),
    ...(remove !== undefined && { should_remove_source_branch: remove ? 1 : 0 }),
    updated_at: Date.now(),
  });
  if (by === 'train') await addCar(services, trx, set, caller.user.id);
  else if (locked.auto_merge === 0) await recordNotes(trx, set, caller.user.id, [texts.autoMergeEnabled(asked.sha)]);
  if (locked.auto_merge === 0) {
    const state = await stateOf(trx, set);
    await services.announce(trx, 'merge-request.auto-merge-set', { state, actorId: caller.user.id });
  }
  await enqueueAutoMerge(services, trx, set);
  return set;
}

const notSet = () =>
  new HttpError(406, { message: "Can't cancel the automatic merge", status: 'error', http_status: 406 });

/** Cancels auto-merge. */
export async function cancelAutoMerge(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<{ status: string }> {
  if (!subject.can('read_merge_request')) throw NotFound.record();
  const { request } = await requireRequest(services, subject, iid);
  const own = request.author_id === caller.user.id && !subject.archived;
  if (!own && !(await mayMerge(services, caller, subject, request.target_branch))) throw new Unauthorized();
  await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', request.id);
    if (locked?.state !== 'opened' || locked.auto_merge === 0) throw notSet();
    const canceled = await updateRequest(trx, request.id, {
      ...autoMergeResetColumns(locked),
      updated_at: Date.now(),
    });
    const left = await removeCar(services, trx, request.id);
    await recordNotes(trx, canceled, caller.user.id, [left ? texts.trainLeft() : texts.autoMergeCanceled]);
  });
  return { status: 'success' };
}

/** Aborts auto-merge for a reason that does not resolve itself, and notifies the user who enabled it. */
async function abortAutoMerge(services: Services, { id, head_sha }: MergeRequestRow, reason: string): Promise<void> {
  await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', id);
    if (locked?.state !== 'opened' || locked.auto_merge !== 1 || locked.head_sha !== head_sha) return;
    const aborted = await updateRequest(trx, id, { ...autoMergeResetColumns(locked), updated_at: Date.now() });
    await recordNotes(trx, aborted, locked.merge_user_id ?? locked.author_id, autoMergeAbortedNotes(locked, reason));
  });
}

/**
 * Aborts waiting for a pipeline that is neither required nor being created, for example because no job matches the
 * branch. A grace period allows starting one manually.
 */
async function withoutPipeline(services: Services, request: MergeRequestRow, job: AutoMergeJob): Promise<void> {
  const since = autoMergeParamsOf(request)?.at ?? 0;
  if (job.awaited === request.head_sha && (job.since ?? 0) === since) {
    return abortAutoMerge(services, request, `no pipeline ran for ${job.awaited}`);
  }
  await services.db.write((trx) => enqueueFinalCheck(services, trx, request, since));
}

/** The parameters that auto-merge was enabled with. */
export function autoMergeParamsOf({
  merge_params: params,
}: MergeRequestRow): Static<typeof AutoMergeParams> | undefined {
  return params === null ? undefined : readAutoMergeParams(params);
}

/** Merges the merge request if nothing blocks it any more and the user who enabled auto-merge may still merge. */
export async function tryAutoMerge(services: Services, job: AutoMergeJob): Promise<void> {
  const { id } = job;
  const { read } = services.db;
  const request = await requestById(read, id);
  if (request?.state !== 'opened' || request.auto_merge !== 1 || request.merge_user_id === null) return;
  const [user, project] = await Promise.all([
    findUser(read, request.merge_user_id),
    findProject(read, request.project_id),
  ]);
  if (!user || !project || accountRefusal(user, services.externalUrl) !== undefined) return;
  const seen = (await mergeabilities(services, [request])).get(id);
  if (!seen) return;
  const status = detailedMergeStatus(seen.facts);
  if (status === 'need_rebase') return abortAutoMerge(services, request, 'target branch was updated');
  const missing = status === 'ci_must_pass' && seen.pipeline === undefined && !seen.settings.pipelineMustSucceed;
  if (missing) return withoutPipeline(services, request, job);
  if (status !== 'mergeable') return;
  const merger = actorOnBehalfOf(user);
  const subject = await projectSubject(read, merger, project);
  if (!(await mayMerge(services, merger, subject, request.target_branch))) return;
  const asked = autoMergeParamsOf(request);
  if (asked === undefined || asked.sha !== request.head_sha) return;
  if (seen.settings.trains) {
    const messages = { merge_commit_message: asked.merge, squash_commit_message: asked.squash };
    await setAutoMerge(services, merger, request, messages, 'train');
    return;
  }
  const remove = request.should_remove_source_branch ?? request.force_remove_source_branch ?? 0;
  const outcome = await performMerge(services, request, {
    merger,
    subject,
    settings: seen.settings,
    messages: { merge: asked.merge, squash: asked.squash },
    removeSource: remove === 1,
  });
  if (outcome === 'changed') await tryAutoMerge(services, job);
}
