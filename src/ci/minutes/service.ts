import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { settingsOfGroup } from '../../namespaces/groups/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { CiJobRow } from '../jobs/public.ts';
import { type Limits, monthOf, secondsAllowed } from './rules.ts';
import * as store from './store.ts';

/** Records the duration of a completed job on an instance runner. */
export async function countJob(
  _services: Services,
  trx: Writer,
  { job, before }: { readonly job: CiJobRow; readonly before: string },
): Promise<void> {
  const { project_id: projectId, runner_id: runnerId, started_at, finished_at } = job;
  if ((before !== 'running' && before !== 'canceling') || job.status === 'canceling') return;
  if (runnerId === null || started_at === null || finished_at === null) return;
  const seconds = Math.ceil((finished_at - started_at) / 1000);
  if (seconds > 0) await store.addSeconds(trx, { projectId, runnerId, month: monthOf(finished_at), seconds });
}

/** Limits of a root namespace, which are stored with the group or the user. */
export function limitsFrom(top: Awaited<ReturnType<typeof store.limitsOf>>[number], instance: number): Limits {
  const { shared_runners_minutes_limit: own, extra_shared_runners_minutes_limit: extra } =
    top.kind === 'group' ? settingsOfGroup(top) : top;
  return { own, extra, instance };
}

/** Whether jobs of a project may use instance runners this month. */
export async function hasMinutesLeft({ db, settings }: Services, project: Project): Promise<boolean> {
  const top = await store.limitsAbove(db.read, project.namespace_id);
  if (!top) return true;
  const allowed = secondsAllowed(limitsFrom(top, (await settings.read()).shared_runners_minutes));
  if (allowed === Number.POSITIVE_INFINITY) return true;
  return (await store.secondsUsed(db.read, top.id, monthOf(Date.now()))) < allowed;
}

/** Defines the job that merges the usage rows of each month into one. */
export function usageCompactionJob({ db, queue }: Services): void {
  queue.recurring('runner-minutes.gather', { everyMs: 60 * 60_000 }, async ({ signal }) => {
    while (!signal.aborted) {
      const found = await store.uncompacted(db.read);
      if (found.length === 0) return;
      for (const usage of found) await db.write((trx) => store.compact(trx, usage));
    }
  });
}
