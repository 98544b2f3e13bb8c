import type { Reader, Writer } from '../../platform/database/database.ts';
import type { NewPullMirror, PullMirrorChange, PullMirrorRow } from './tables.ts';

export function findPullMirror(db: Reader, projectId: number): Promise<PullMirrorRow | undefined> {
  return db.selectFrom('pull_mirrors').selectAll().where('project_id', '=', projectId).executeTakeFirst();
}

/** Sets the remote repository of a project, replacing any previous one. */
export async function putPullMirror(trx: Writer, row: NewPullMirror): Promise<void> {
  const { project_id: _, ...columns } = row;
  await trx
    .insertInto('pull_mirrors')
    .values(row)
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(columns))
    .execute();
}

export async function updatePullMirror(trx: Writer, projectId: number, columns: PullMirrorChange): Promise<void> {
  await trx.updateTable('pull_mirrors').set(columns).where('project_id', '=', projectId).execute();
}

/** Lists due mirrors, longest overdue first. */
export async function dueMirrors(db: Reader, now: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pull_mirrors')
    .select('project_id')
    .where('next_update_at', '<=', now)
    .orderBy('next_update_at')
    .limit(limit)
    .execute();
  return rows.map(({ project_id }) => project_id);
}

/** Counts queued and running mirrors, up to a maximum. Overdue ones do not count, because their run was lost. */
export async function countBusy(db: Reader, now: number, maximum: number): Promise<number> {
  const { count } = await db
    .selectFrom(
      db
        .selectFrom('pull_mirrors')
        .select('project_id')
        .where('update_status', 'in', ['scheduled', 'started'])
        .where('next_update_at', '>', now)
        .limit(maximum)
        .as('busy'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Claims a due mirror. Returns false if another node did so first. */
export async function claimDue(trx: Writer, projectId: number, now: number, next: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('pull_mirrors')
    .set({ update_status: 'scheduled', next_update_at: next })
    .where('project_id', '=', projectId)
    .where('next_update_at', '<=', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
