import type { Services } from '../../../access/services.ts';
import { afterMerge } from './after.ts';
import { tryAutoMerge } from './auto-merge.ts';
import { rebase } from './rebase.ts';

/** Registers the background jobs of merging. */
export function mergeJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('merge-requests.merged', ({ payload }) => afterMerge(services, payload), { maxAttempts: 8 });
  queue.defineJob('merge-requests.auto-merge', ({ payload }) => tryAutoMerge(services, payload), { maxAttempts: 8 });
  queue.defineJob('merge-requests.rebase', ({ payload }) => rebase(services, payload), { maxAttempts: 3 });
}
