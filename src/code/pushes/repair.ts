import type { Services } from '../../access/services.ts';
import { lookUpNamespace, lookUpProject } from '../../access/subjects.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { removeStaleLocks, STALE_LOCK_MS } from '../../platform/git/upkeep/sweep.ts';
import { finalizePush } from './finalise.ts';
import { reconcile } from './reconcile.ts';
import { deleteFinishedPushes, dropIntent, findPush, listPendingPushes, pushesFrom, readChanges } from './store.ts';
import type { PushRow } from './tables.ts';

const minute = 60_000;
const batchSize = 500;
/** A pending push whose refs have not been updated after this time is dropped. */
const dropAfter = 10 * minute;
const retention = 7 * 24 * 60 * minute;

/** The result of a repair. */
export interface Repairs {
  finalised: number;
  dropped: number;
  /** Number of removed lock files of interrupted pushes, which blocked later pushes. */
  unlocked: number;
}

/**
 * Determines and records the outcome of pushes that were interrupted between the ref update and its record. Safe to run
 * concurrently with ongoing pushes: recording is idempotent.
 */
export async function repairPushes(services: Services, olderThan = 0, lockAge = STALE_LOCK_MS): Promise<Repairs> {
  const { db } = services;
  const rows = await listPendingPushes(db.read, Date.now() - olderThan, batchSize);
  const tally: Repairs = { finalised: 0, dropped: 0, unlocked: 0 };
  for (const [projectId, pending] of Map.groupBy(rows, (row) => row.project_id)) {
    // Continue with the other repositories on failure.
    try {
      tally.unlocked += await removeStaleLocks(services.git.repository(projectId), lockAge);
      await repairProject(services, projectId, pending, tally);
    } catch (error) {
      services.log.error({ err: error, project: projectId }, 'failed to repair pushes, retrying later');
    }
  }
  await deleteFinishedPushes(db, Date.now() - retention);
  return tally;
}

/**
 * Repairs interrupted pushes before the server accepts requests. Servers sharing an SQLite file run on one machine, so
 * a lock file without a local git process is stale regardless of its age.
 */
export async function repairAtStart(services: Services): Promise<void> {
  await repairPushes(services, 0, services.db.engine === 'sqlite' ? 0 : STALE_LOCK_MS);
}

/** Determines the outcome of one push whose git process has exited. Refs not updated by now never will be. */
export async function reconcilePush(services: Services, id: number): Promise<void> {
  const row = await findPush(services.db.read, id);
  if (row?.state !== 'pending') return;
  await repairProject(services, row.project_id, [row], { finalised: 0, dropped: 0, unlocked: 0 });
  await dropIntent(services.db, id);
}

async function repairProject(
  services: Services,
  projectId: number,
  pending: readonly PushRow[],
  tally: Repairs,
): Promise<void> {
  const { db, git } = services;
  const found = await lookUpProject(db.read, String(projectId));
  const namespace = found && (await lookUpNamespace(db.read, String(found.project.namespace_id)));
  const repo = git.repository(projectId);
  if (!found || !namespace || !(await repositoryExists(repo))) {
    for (const { id } of pending) await dropIntent(db, id);
    return;
  }
  const oldest = Math.min(...pending.map((row) => row.id));
  const all = (await pushesFrom(db.read, projectId, oldest))
    .filter((row) => row.state !== 'dropped')
    .map((row) => ({ id: row.id, done: row.state === 'done', changes: readChanges(row) }));
  const refs = new Set(all.flatMap((push) => push.changes.map((change) => change.ref)));
  const now = new Map<string, string | null>();
  for (const ref of refs) now.set(ref, await git.readRef(repo, ref));
  const moved = reconcile(all, (ref) => now.get(ref) ?? null);
  for (const row of pending) {
    const changes = moved.get(row.id);
    if (changes) {
      // Reload each time: the first of several pushes sets the default branch.
      const { project } = (await lookUpProject(db.read, String(projectId))) ?? found;
      await finalizePush(services, row, { project, namespace }, changes);
      tally.finalised++;
    } else if (row.created_at < Date.now() - dropAfter) {
      await dropIntent(db, row.id);
      tally.dropped++;
    }
  }
}

/** Repairs pushes interrupted by the crash of another server while this one keeps running. */
export function pushJobs(services: Services): void {
  services.queue.recurring('repair-pushes', { everyMs: minute }, async () => {
    await repairPushes(services, minute);
  });
}
