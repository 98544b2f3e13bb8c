import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { positionGap } from '../../positions.ts';

/** The place of the last issue that somebody has put somewhere; null where there is none. */
export async function lastPosition(db: Reader, projectId: number): Promise<number | null> {
  const row = await db
    .selectFrom('issues')
    .select('relative_position')
    .where('project_id', '=', projectId)
    .where('relative_position', 'is not', null)
    .orderBy('relative_position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.relative_position ?? null;
}

/** The nearest place before or after another one that an issue of the project has, one issue aside. */
export async function positionNear(
  db: Reader,
  projectId: number,
  aside: number,
  position: number,
  side: 'before' | 'after',
): Promise<number | undefined> {
  const row = await db
    .selectFrom('issues')
    .select('relative_position')
    .where('project_id', '=', projectId)
    .where('id', '<>', aside)
    .where('relative_position', side === 'before' ? '<' : '>', position)
    .orderBy('relative_position', side === 'before' ? 'desc' : 'asc')
    .limit(1)
    .executeTakeFirst();
  return row?.relative_position ?? undefined;
}

export async function setPosition(trx: Writer, id: number, relative_position: number): Promise<void> {
  await trx.updateTable('issues').set({ relative_position }).where('id', '=', id).execute();
}

/** Numbers all that have a place anew, so that something fits between any two. */
export async function spreadPositions(trx: Writer, projectId: number): Promise<void> {
  await sql`update issues set relative_position = ordered.n * ${sql.lit(positionGap)}
    from (
      select id, row_number() over (order by relative_position, id) as n
      from issues where project_id = ${projectId} and relative_position is not null
    ) ordered
    where issues.id = ordered.id`.execute(trx);
}

/** So many issues are given a place at once: an order of more was never made by hand. */
const mostPlaced = 2000;

/**
 * Gives all that nobody has put anywhere a place behind those that have one, up to an issue: in the order in which they
 * are shown. Where too many are before it, it alone gets one.
 */
export async function placeUpTo(trx: Writer, projectId: number, id: number): Promise<void> {
  const last = (await lastPosition(trx, projectId)) ?? 0;
  const before = await trx
    .selectFrom('issues')
    .select('id')
    .where('project_id', '=', projectId)
    .where('relative_position', 'is', null)
    .where('id', '<=', id)
    .orderBy('id')
    .limit(mostPlaced + 1)
    .execute();
  if (before.length > mostPlaced) {
    await setPosition(trx, id, last + positionGap);
    return;
  }
  await sql`update issues set relative_position = ${last} + ordered.n * ${sql.lit(positionGap)}
    from (
      select id, row_number() over (order by id) as n
      from issues where project_id = ${projectId} and relative_position is null and id <= ${id}
    ) ordered
    where issues.id = ordered.id`.execute(trx);
}
