import * as texts from '../system-texts.ts';
import type { MergeRequestRow } from '../tables.ts';

/** `auto_merge` of a merge request that is on a train; of one that is to be merged by itself it is 1. */
export const onTrain = 2;

type Set = Pick<MergeRequestRow, 'auto_merge'>;

/** What was to be merged by itself no longer is. */
export function withoutAutoMerge({ auto_merge }: Set): Partial<Omit<MergeRequestRow, 'id'>> {
  return auto_merge === 0
    ? {}
    : { auto_merge: 0, merge_user_id: null, merge_params: null, should_remove_source_branch: null };
}

/** Says why, where it was to be. */
export function abortedNotes({ auto_merge }: Set, reason: string): string[] {
  if (auto_merge === onTrain) return [texts.trainLeft(reason)];
  return auto_merge === 0 ? [] : [texts.autoMergeAborted(reason)];
}
