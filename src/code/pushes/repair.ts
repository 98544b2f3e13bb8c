import type { Services } from '../../access/services.ts';
import { lookUpNamespace, lookUpProject } from '../../access/subjects.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { removeStaleLocks, STALE_LOCK_MS } from '../../platform/git/upkeep/sweep.ts';
import { finalise } from './finalise.ts';
import { reconcile } from './reconcile.ts';
import { dropIntent, findPush, forgetBefore, pendingBefore, pushesFrom, readChanges } from './store.ts';
import type { PushRow } from './tables.ts';

const minute = 60_000;
const atOnce = 500;
/** A push whose refs have not moved so long after it was let through never will. */
const patience = 10 * minute;
const kept = 7 * 24 * 60 * minute;

/** What a repair found. */
export interface Repairs {
  finalised: number;
  dropped: number;
  /** Locks of pushes that were cut short, which refused those that came after. */
  unlocked: number;
}

/**
 * Finds the pushes whose outcome nobody recorded, because a server stopped between the moved ref and the record, and
 * records it. Safe beside pushes that are still under way: whoever comes second finds the work done.
 */
export async function repairPushes(services: Services, olderThan = 0, lockAge = STALE_LOCK_MS): Promise<Repairs> {
  const { db } = services;
  const rows = await pendingBefore(db.read, Date.now() - olderThan, atOnce);
  const tally: Repairs = { finalised: 0, dropped: 0, unlocked: 0 };
  for (const [projectId, pending] of Map.groupBy(rows, (row) => row.project_id)) {
    // One repository that cannot be repaired, yet or at all, is no reason to leave the others.
    try {
      tally.unlocked += await removeStaleLocks(services.git.repository(projectId), lockAge);
      await repairProject(services, projectId, pending, tally);
    } catch (error) {
      services.log.error({ err: error, project: projectId }, 'a push could not be repaired; it is tried again');
    }
  }
  await forgetBefore(db, Date.now() - kept);
  return tally;
}

/**
 * What the last run left, before anybody can call. Servers that share a file of SQLite run on one machine: a lock of
 * which no git process here is the owner has none, and people need not wait until it is old.
 */
export async function repairAtStart(services: Services): Promise<void> {
  await repairPushes(services, 0, services.db.engine === 'sqlite' ? 0 : STALE_LOCK_MS);
}

/** The same for one push whose git process has ended: what has not moved by now never will. */
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
      // Afresh each time: the first push of several gives the project its default branch.
      const { project } = (await lookUpProject(db.read, String(projectId))) ?? found;
      await finalise(services, row, { project, namespace }, changes);
      tally.finalised++;
    } else if (row.created_at < Date.now() - patience) {
      await dropIntent(db, row.id);
      tally.dropped++;
    }
  }
}

/** What a crash of one server leaves behind while others run on is found by those. */
export function pushJobs(services: Services): void {
  services.queue.recurring('repair-pushes', { everyMs: minute }, async () => {
    await repairPushes(services, minute);
  });
}
