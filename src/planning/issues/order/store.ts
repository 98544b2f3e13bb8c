import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { positionGap } from '../../positions.ts';

/** The last manual position in a project; null if no issue has one. */
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

/** The nearest position before or after another one in the project, ignoring one issue. */
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

/** Renumbers all positions, so that there is a gap between any two. */
export async function spreadPositions(trx: Writer, projectId: number): Promise<void> {
  await sql`update issues set relative_position = ordered.n * ${sql.lit(positionGap)}
    from (
      select id, row_number() over (order by relative_position, id) as n
      from issues where project_id = ${projectId} and relative_position is not null
    ) ordered
    where issues.id = ordered.id`.execute(trx);
}

/** Maximum number of issues that are given a position at once. */
const maxPlaced = 2000;

/**
 * Gives the unpositioned issues up to this one, in list order, positions after the positioned ones. If there are too
 * many before it, only the issue itself is given a position.
 */
export async function positionIssuesUpTo(trx: Writer, projectId: number, id: number): Promise<void> {
  const last = (await lastPosition(trx, projectId)) ?? 0;
  const before = await trx
    .selectFrom('issues')
    .select('id')
    .where('project_id', '=', projectId)
    .where('relative_position', 'is', null)
    .where('id', '<=', id)
    .orderBy('id')
    .limit(maxPlaced + 1)
    .execute();
  if (before.length > maxPlaced) {
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
