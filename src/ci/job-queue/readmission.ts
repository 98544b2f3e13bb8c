import type { Services } from '../../access/services.ts';
import type { Namespace, User } from '../../access/tables.ts';
import { settingsOfGroup } from '../../namespaces/groups/public.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { jobsAvailableSignal } from '../runners/public.ts';
import { runnerKindsOf } from './queue.ts';
import { setRunnerKinds, withheldProjects } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Jobs withheld from instance runners may be eligible again: a new month began, or a limit changed. */
    'ci.readmit-jobs': Record<string, never>;
  }
}

/**
 * Makes withheld jobs available to instance runners again. Jobs without remaining minutes are withheld again when
 * requested.
 */
export function readmissionJobs(services: Services): void {
  const { db, queue, signals } = services;
  const readmit = async ({ signal }: { readonly signal: AbortSignal }) => {
    for (let afterId = 0; !signal.aborted; ) {
      const ids = await withheldProjects(db.read, afterId);
      for (const id of ids) {
        const project = await findProject(db.read, id);
        if (project) await db.write((trx) => setRunnerKinds(trx, id, runnerKindsOf(project)));
      }
      const last = ids.at(-1);
      if (last === undefined) break;
      afterId = last;
    }
    signals.notify(jobsAvailableSignal);
  };
  queue.defineJob('ci.readmit-jobs', readmit);
  queue.recurring('jobs.readmit', { everyMs: 60 * 60_000 }, readmit);
}

const limits = ['shared_runners_minutes_limit', 'extra_shared_runners_minutes_limit'] as const;

export async function followGroupLimits(
  { queue }: Services,
  trx: Writer,
  { before, group }: { readonly before: Namespace; readonly group: Namespace },
): Promise<void> {
  const [previous, current] = [settingsOfGroup(before), settingsOfGroup(group)];
  if (limits.every((limit) => previous[limit] === current[limit])) return;
  await queue.enqueue(trx, 'ci.readmit-jobs', {}, { dedupeKey: 'all' });
}

export async function followUserLimits(
  { queue }: Services,
  trx: Writer,
  { changed }: { readonly changed: ReadonlySet<keyof User> },
): Promise<void> {
  if (limits.some((limit) => changed.has(limit))) await queue.enqueue(trx, 'ci.readmit-jobs', {}, { dedupeKey: 'all' });
}
