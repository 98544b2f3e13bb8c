import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';

/** Value of `auto_merge` for a merge request on a merge train; with plain auto-merge it is 1. */
export const autoMergeOnTrain = 2;

type Set = Pick<MergeRequestRow, 'auto_merge'>;

/** Columns that disable auto-merge. */
export function autoMergeResetColumns({ auto_merge }: Set): Partial<Omit<MergeRequestRow, 'id'>> {
  return auto_merge === 0
    ? {}
    : { auto_merge: 0, merge_user_id: null, merge_params: null, should_remove_source_branch: null };
}

/** System note about the reason, if auto-merge was enabled. */
export function autoMergeAbortedNotes({ auto_merge }: Set, reason: string): string[] {
  if (auto_merge === autoMergeOnTrain) return [texts.trainLeft(reason)];
  return auto_merge === 0 ? [] : [texts.autoMergeAborted(reason)];
}
