import type { Services } from '../../access/services.ts';
import type { Namespace, User } from '../../access/tables.ts';
import { settingsOfGroup } from '../../namespaces/groups/public.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { jobsWanted } from '../runners/public.ts';
import { kindsOf } from './queue.ts';
import { keptProjects, setRunnerKinds } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Jobs that runners of the instance were kept from may be theirs again: a month is over, or a limit is another. */
    'ci.readmit-jobs': Record<string, never>;
  }
}

/** Gives the runners of the instance back what they were kept from. Where no minutes are left, they are kept from it anew. */
export function readmissionJobs(services: Services): void {
  const { db, queue, signals } = services;
  const readmit = async ({ signal }: { readonly signal: AbortSignal }) => {
    for (let beyond = 0; !signal.aborted; ) {
      const ids = await keptProjects(db.read, beyond);
      for (const id of ids) {
        const project = await findProject(db.read, id);
        if (project) await db.write((trx) => setRunnerKinds(trx, id, kindsOf(project)));
      }
      const last = ids.at(-1);
      if (last === undefined) break;
      beyond = last;
    }
    signals.notify(jobsWanted);
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
  const [old, now] = [settingsOfGroup(before), settingsOfGroup(group)];
  if (limits.every((limit) => old[limit] === now[limit])) return;
  await queue.enqueue(trx, 'ci.readmit-jobs', {}, { dedupeKey: 'all' });
}

export async function followUserLimits(
  { queue }: Services,
  trx: Writer,
  { changed }: { readonly changed: ReadonlySet<keyof User> },
): Promise<void> {
  if (limits.some((limit) => changed.has(limit))) await queue.enqueue(trx, 'ci.readmit-jobs', {}, { dedupeKey: 'all' });
}
