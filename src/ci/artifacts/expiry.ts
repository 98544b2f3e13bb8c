import type { JobArtifactRow } from './tables.ts';

/** Whether an artifact can be downloaded: it has not expired, or its pipeline is locked as the latest of its ref. */
export function isAvailable(
  { expire_at }: Pick<JobArtifactRow, 'expire_at'>,
  locked: boolean,
  now = Date.now(),
): boolean {
  return expire_at === null || expire_at > now || locked;
}
