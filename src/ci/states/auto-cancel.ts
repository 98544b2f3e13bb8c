import { cancelable, type Status } from './statuses.ts';

/** A job of a pipeline that a newer commit has made redundant. */
export interface RedundantJob {
  readonly id: number;
  readonly status: Status;
  readonly interruptible: boolean;
}

/** The jobs that a newer commit ends, by the mode of the pipeline they belong to. Those that are over already do not count. */
export function redundantJobs(
  mode: 'conservative' | 'interruptible' | 'none',
  jobs: readonly RedundantJob[],
): number[] {
  const open = jobs.filter((job) => cancelable.has(job.status));
  if (mode === 'none') return [];
  if (mode === 'interruptible') return open.filter((job) => job.interruptible).map(({ id }) => id);
  // Something that must not be interrupted has started: the rest is let through too.
  const committed = jobs.some((job) => !job.interruptible && ['running', 'success', 'failed'].includes(job.status));
  return committed ? [] : open.map(({ id }) => id);
}
