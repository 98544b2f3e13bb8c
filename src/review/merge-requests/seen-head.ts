import { Conflict } from '../../platform/http/errors.ts';
import type { MergeRequestRow } from './tables.ts';

/** Refuses what somebody says of another head than the one that is there: a push came in since they looked. */
export function checkSha(sha: string | null | undefined, { head_sha }: Pick<MergeRequestRow, 'head_sha'>): void {
  if (sha === undefined || sha === head_sha) return;
  throw new Conflict(`SHA does not match HEAD of source branch: ${head_sha}`);
}
