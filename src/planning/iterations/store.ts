import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { IterationRow, IterationsTable } from './tables.ts';

const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('iterations').selectAll().where('id', 'in', param.ids('ids')),
);

export async function iterationsById(
  db: Reader,
  ids: Iterable<number | null>,
): Promise<ReadonlyMap<number, IterationRow>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  const rows = wanted.length === 0 ? [] : await byIds.all(db, { ids: wanted });
  return new Map(rows.map((row) => [row.id, row]));
}

export async function insertIterations(trx: Writer, rows: readonly Insertable<IterationsTable>[]): Promise<void> {
  if (rows.length > 0) await trx.insertInto('iterations').values(rows).execute();
}

/** Number of iterations of a cadence. */
export async function countIterations(db: Reader, cadence: number): Promise<number> {
  const found = await db
    .selectFrom('iterations')
    .select((eb) => eb.fn.max<number | null>('sequence').as('last'))
    .where('cadence_id', '=', cadence)
    .executeTakeFirst();
  return found?.last ?? 0;
}

const paths = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('namespaces').select(['id', 'full_path']).where('id', 'in', param.ids('ids')),
);

/** Full paths of groups by ID. */
export async function groupPaths(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = ids.length === 0 ? [] : await paths.all(db, { ids: [...new Set(ids)] });
  return new Map(rows.map(({ id, full_path }) => [id, full_path]));
}

/** Iterations of these groups by ID or title. */
export function iterationsNamed(
  db: Reader,
  groups: readonly number[],
  names: readonly string[],
): Promise<IterationRow[]> {
  const ids = names.filter((name) => /^\d{1,15}$/.test(name)).map(Number);
  return db
    .selectFrom('iterations')
    .selectAll()
    .where('namespace_id', 'in', groups)
    .where((eb) => eb.or([eb('title', 'in', names), ...(ids.length === 0 ? [] : [eb('id', 'in', ids)])]))
    .orderBy('id')
    .limit(1000)
    .execute();
}
