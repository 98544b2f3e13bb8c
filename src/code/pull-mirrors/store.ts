import type { Reader, Writer } from '../../platform/database/database.ts';
import type { NewPullMirror, PullMirrorChange, PullMirrorRow } from './tables.ts';

export function findPullMirror(db: Reader, projectId: number): Promise<PullMirrorRow | undefined> {
  return db.selectFrom('pull_mirrors').selectAll().where('project_id', '=', projectId).executeTakeFirst();
}

/** Follows another repository, whichever it was before. */
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

/** Those whose time has come, the longest overdue first. */
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

/** How many wait for their run or are in it, counted up to a number. What is overdue itself was given up by whoever ran it. */
export async function countBusy(db: Reader, now: number, most: number): Promise<number> {
  const { count } = await db
    .selectFrom(
      db
        .selectFrom('pull_mirrors')
        .select('project_id')
        .where('update_status', 'in', ['scheduled', 'started'])
        .where('next_update_at', '>', now)
        .limit(most)
        .as('busy'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Takes a mirror whose time has come; false when another node did. */
export async function claimDue(trx: Writer, projectId: number, now: number, next: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('pull_mirrors')
    .set({ update_status: 'scheduled', next_update_at: next })
    .where('project_id', '=', projectId)
    .where('next_update_at', '<=', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
