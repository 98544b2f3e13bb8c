import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { moveRefs, PushRefused } from '../../../code/pushes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { fault } from '../../../platform/faults.ts';
import type { MergeSettings } from '../settings.ts';
import { updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { tipsOf } from '../versions/collect.ts';
import { MergeRefused, type Messages, mergeErrors, type PreparedMerge, prepareMerge } from './commits.ts';
import { reopenRequest } from './reopen.ts';
import { serializeMergeResult } from './stored-result.ts';
import { inTurn } from './turns.ts';

/** Parameters of a merge. */
export interface Merge {
  readonly merger: SignedInActor;
  readonly subject: ProjectSubject;
  readonly settings: MergeSettings;
  readonly messages: Messages;
  readonly removeSource: boolean;
  /** For a merge request tested on a merge train: the tip that the target must have, and the tested commits. */
  readonly tested?: { readonly target: string; readonly prepared?: PreparedMerge };
  /** See `MergeResult`. */
  readonly trainGoesOn?: boolean;
}

/** Maximum number of attempts if pushes, or merges of other server processes, keep moving the target. */
const maxAttempts = 20;

/** Result of a merge; `changed` if the merge request has changed since it was found to be mergeable. */
export type MergeOutcome = 'merged' | 'refused' | 'changed';

/**
 * Merges a mergeable request. The transaction that declares the ref updates locks the row and stores the planned
 * result; the transaction that records the push marks it as merged (see follow/pushed.ts). If the server stops in
 * between, it ends up merged if the target contains the commits, and open otherwise (see repair.ts).
 */
export function performMerge(services: Services, request: MergeRequestRow, merge: Merge): Promise<MergeOutcome> {
  return inTurn(services, request, () => mergeOnto(services, request, merge));
}

async function mergeOnto(services: Services, request: MergeRequestRow, merge: Merge): Promise<MergeOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptMerge(services, request, merge);
    if (outcome !== 'raced') return outcome;
    if (attempt === maxAttempts) return 'refused';
  }
}

async function attemptMerge(
  services: Services,
  request: MergeRequestRow,
  merge: Merge,
): Promise<MergeOutcome | 'raced'> {
  const { merger, subject, settings, messages, tested } = merge;
  let taken: string | undefined;
  try {
    const { target, source } = await tipsOf(services, request);
    if (target === null || request.head_sha === null) throw new MergeRefused(mergeErrors.noSource);
    if (source !== request.head_sha) throw new MergeRefused(mergeErrors.moved);
    if (tested && tested.target !== target) return 'changed';
    const prepared =
      tested?.prepared ??
      (await prepareMerge(services, merger, subject, request, target, settings, messages, {
        rebases: tested !== undefined,
      }));
    fault('merge.prepared');
    const changes = [{ ref: `refs/heads/${request.target_branch}`, old: target, new: prepared.tip }];
    const known = prepared.onTopOf;
    const moved = await moveRefs(services, {
      actor: merger,
      subject,
      changes,
      protocol: 'web',
      purpose: 'merge',
      known,
      recordedWith: async (trx) => {
        await lockFor(trx, request, merge, prepared, target);
        taken = prepared.tip;
      },
    });
    fault('merge.moved');
    if (moved.status === 'ok') return 'merged';
    await reopen(services, request.id, taken, null);
    return 'raced';
  } catch (error) {
    if (error instanceof Overtaken) return error.outcome;
    await reopen(services, request.id, taken, errorText(error));
    if (error instanceof MergeRefused || error instanceof PushRefused) return 'refused';
    throw error;
  }
}

function errorText(error: unknown): string {
  if (error instanceof MergeRefused) return error.message;
  return error instanceof PushRefused ? mergeErrors.hook(error.message) : mergeErrors.other;
}

/** The merge request was merged, closed or changed concurrently. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
  readonly outcome: 'refused' | 'changed';

  constructor(outcome: 'refused' | 'changed') {
    super();
    this.outcome = outcome;
  }
}

/**
 * Locks the merge request for this merge; of two concurrent merges, only one finds it open. It must be unchanged since
 * it was found to be mergeable: removing an approval or marking it as draft updates its timestamp.
 */
async function lockFor(
  trx: Writer,
  request: MergeRequestRow,
  { merger, removeSource, trainGoesOn }: Merge,
  { tip, mergeCommit, squashCommit }: PreparedMerge,
  onto: string,
): Promise<void> {
  const locked = await lockRow(trx, 'merge_requests', request.id);
  if (locked?.state !== 'opened') throw new Overtaken('refused');
  const branches = locked.head_sha === request.head_sha && locked.target_branch === request.target_branch;
  if (!branches || locked.updated_at !== request.updated_at) throw new Overtaken('changed');
  const landing = serializeMergeResult({
    userId: merger.user.id,
    mergeCommit,
    squashCommit,
    removeSource,
    onto,
    ...(trainGoesOn && { trainGoesOn }),
  });
  await updateRequest(trx, request.id, { state: 'locked', landed_sha: tip, landing });
}

/**
 * Reopens the merge request locked by this merge. If it has been merged, or locked by another merge, it is left alone,
 * even if both merges would produce the same tip.
 */
async function reopen(
  services: Services,
  id: number,
  taken: string | undefined,
  mergeError: string | null,
): Promise<void> {
  await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', id);
    if (taken !== undefined && locked?.state === 'locked' && locked.landed_sha === taken) {
      await reopenRequest(services, trx, locked, { landed_sha: null, landing: null, merge_error: mergeError });
    } else if (locked?.state === 'opened' && mergeError !== null) {
      await updateRequest(trx, id, { merge_error: mergeError });
    }
  });
}
