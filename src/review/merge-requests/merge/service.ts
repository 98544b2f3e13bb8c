import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { MethodNotAllowed, NotFound, Unauthorized, Unprocessable } from '../../../platform/http/errors.ts';
import { checkSha } from '../check-sha.ts';
import { mayMerge, presentDetail } from '../detail.ts';
import { type Mergeability, mergeabilities, pipelineFact } from '../mergeability/facts.ts';
import { cannotAutoMerge, detailedMergeStatus, stateRefusal } from '../mergeability/status.ts';
import { awaitedPipelines } from '../pipelines/missing-pipelines.ts';
import type { DetailEntity } from '../schema.ts';
import { type RequestState, requireRequest } from '../service.ts';
import { updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { withCurrentMergeability } from '../versions/refresh.ts';
import { setAutoMerge } from './auto-merge.ts';
import { performMerge } from './perform.ts';
import { withPriority } from './priority.ts';
import type { MergeParams } from './schema.ts';

const impossible = () => new Unprocessable('Branch cannot be merged');

/**
 * Returns a merge request to be merged or rebased; callers without read access get the same error as for a missing one.
 */
export async function requireForMerge(services: Services, subject: ProjectSubject, iid: number): Promise<RequestState> {
  if (!subject.can('read_merge_request')) throw NotFound.record();
  return requireRequest(services, subject, iid);
}

export async function mergeabilityOf(services: Services, request: MergeRequestRow): Promise<Mergeability> {
  const seen = (await mergeabilities(services, [request])).get(request.id);
  if (!seen) throw NotFound.record();
  return seen;
}

/** Merges a merge request, or enables auto-merge. */
export function mergeRequest(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: MergeParams,
): Promise<DetailEntity> {
  return withPriority(services, async () => {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const merged = await merge(services, caller, subject, params);
      if (merged) return merged;
    }
    throw impossible();
  });
}

/** Maximum number of attempts if the merge request keeps changing. */
const maxAttempts = 5;

/** The checks are in the documented order. Returns undefined if the merge request changed after them. */
async function merge(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: MergeParams,
): Promise<DetailEntity | undefined> {
  const found = await requireForMerge(services, subject, params.merge_request_iid);
  if (!(await mayMerge(services, caller, subject, found.request.target_branch))) throw new Unauthorized();
  const request = await withCurrentMergeability(services, found.request);
  const seen = await mergeabilityOf(services, request);
  const later = params.auto_merge ?? params.merge_when_pipeline_succeeds ?? false;
  if (later && (await hasToWait(services, request, seen))) {
    if (cannotAutoMerge(seen.facts)) throw new MethodNotAllowed();
    checkSha(params.sha, request);
    const set = await setAutoMerge(services, caller, request, params);
    return presentDetail(services, caller, subject, { ...found, request: set });
  }
  if (stateRefusal(seen.facts) !== undefined) throw new MethodNotAllowed();
  if (detailedMergeStatus(seen.facts) !== 'mergeable') throw impossible();
  checkSha(params.sha, request);
  if (later && seen.settings.trains) {
    const boarded = await setAutoMerge(services, caller, request, params, 'train');
    return presentDetail(services, caller, subject, { ...found, request: boarded });
  }
  const outcome = await performMerge(services, await withParams(services, request, params), {
    merger: caller,
    subject,
    settings: seen.settings,
    messages: { merge: params.merge_commit_message, squash: params.squash_commit_message },
    removeSource: removesSource(request, params.should_remove_source_branch),
    trainGoesOn: params.skip_merge_train === true && seen.settings.trains && seen.settings.trainsMayBeSkipped,
  });
  if (outcome === 'changed') return undefined;
  const after = await requireRequest(services, subject, request.iid);
  if (outcome !== 'merged' && after.request.state !== 'merged') throw impossible();
  return presentDetail(services, caller, subject, after);
}

/**
 * Whether a merge has to wait for a condition that can still be met. A running or pending pipeline counts even if it is
 * not required.
 */
export async function hasToWait(
  services: Services,
  request: MergeRequestRow,
  { facts, settings, pipeline }: Mergeability,
): Promise<boolean> {
  if (detailedMergeStatus(facts) !== 'mergeable') return true;
  const awaited = pipeline ? undefined : (await awaitedPipelines(services, [request])).get(request.id);
  return pipelineFact(settings, pipeline, true, awaited) === 'running';
}

/** Options of the merge request take effect unless the merge overrides them. */
export function removesSource(
  request: Pick<MergeRequestRow, 'should_remove_source_branch' | 'force_remove_source_branch'>,
  asked?: boolean,
): boolean {
  return asked ?? (request.should_remove_source_branch ?? request.force_remove_source_branch ?? 0) === 1;
}

/** Stores the options of the merge without otherwise changing the row. */
async function withParams(services: Services, request: MergeRequestRow, params: MergeParams): Promise<MergeRequestRow> {
  const { squash, should_remove_source_branch: remove } = params;
  const change = {
    ...(squash === true && request.squash === 0 && { squash: 1 }),
    ...(remove !== undefined && { should_remove_source_branch: remove ? 1 : 0 }),
  };
  if (Object.keys(change).length === 0) return request;
  await services.db.write((trx) => updateRequest(trx, request.id, change));
  return { ...request, ...change };
}
