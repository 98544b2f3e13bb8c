import { cancelable, type Status } from './statuses.ts';

/** A job of a pipeline made redundant by a newer commit. */
export interface RedundantJob {
  readonly id: number;
  readonly status: Status;
  readonly interruptible: boolean;
}

/**
 * Returns the IDs of the jobs to cancel, according to the auto-cancel mode of their pipeline. Finished jobs are
 * skipped.
 */
export function redundantJobs(
  mode: 'conservative' | 'interruptible' | 'none',
  jobs: readonly RedundantJob[],
): number[] {
  const open = jobs.filter((job) => cancelable.has(job.status));
  if (mode === 'none') return [];
  if (mode === 'interruptible') return open.filter((job) => job.interruptible).map(({ id }) => id);
  // A job that must not be interrupted has started, so the rest of the pipeline continues too.
  const committed = jobs.some((job) => !job.interruptible && ['running', 'success', 'failed'].includes(job.status));
  return committed ? [] : open.map(({ id }) => id);
}
