import { Conflict } from '../../platform/http/errors.ts';
import type { MergeRequestRow } from './tables.ts';

/** Rejects a request for an outdated head: a push has arrived since the user looked at the merge request. */
export function checkSha(sha: string | null | undefined, { head_sha }: Pick<MergeRequestRow, 'head_sha'>): void {
  if (sha === undefined || sha === head_sha) return;
  throw new Conflict(`SHA does not match HEAD of source branch: ${head_sha}`);
}
