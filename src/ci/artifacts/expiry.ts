import type { JobArtifactRow } from './tables.ts';

/** Whether an artifact can be had: it has not expired, or its pipeline is the latest of its ref. */
export function stillThere(
  { expire_at }: Pick<JobArtifactRow, 'expire_at'>,
  locked: boolean,
  now = Date.now(),
): boolean {
  return expire_at === null || expire_at > now || locked;
}
