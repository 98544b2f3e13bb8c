import { type SqlBool, sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import { memberProjectIds } from '../../access/visibility/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { beyond, type KeysetOrder, type Position, sliceOf } from '../../platform/database/keyset.ts';
import type { Slice } from '../../platform/database/paging.ts';
import type { CiJobRow } from './tables.ts';

export interface RunnerJobsFilter {
  readonly runnerId: number;
  /** Whose projects are shown; null for whoever sees all. */
  readonly userId: number | null;
  readonly system_id?: string | undefined;
  readonly status?: string | undefined;
  readonly sort: 'asc' | 'desc';
}

/** What a runner has done, in projects where the caller is at least a Reporter. */
function ofRunner(db: Reader, { runnerId, userId, system_id, status }: RunnerJobsFilter) {
  let query = db.selectFrom('ci_jobs').selectAll().where('runner_id', '=', runnerId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (system_id !== undefined) {
    query = query.where('runner_manager_id', 'in', (eb) =>
      eb
        .selectFrom('runner_managers')
        .select('id')
        .where('runner_id', '=', runnerId)
        .where('system_id', '=', system_id),
    );
  }
  if (userId === null) return query;
  const own = memberProjectIds(sql.val(userId), Role.reporter, sql.val(Date.now()));
  return query.where(sql<SqlBool>`project_id in (${own})`);
}

/** One page of it, and whether there is more. */
export async function jobsOfRunner(
  db: Reader,
  filter: RunnerJobsFilter,
  { offset, perPage }: Slice,
): Promise<{ rows: CiJobRow[]; more: boolean }> {
  const rows = await ofRunner(db, filter)
    .orderBy('id', filter.sort)
    .limit(perPage + 1)
    .offset(offset)
    .execute();
  return { rows: rows.slice(0, perPage), more: rows.length > perPage };
}

/** What comes beyond a position. */
export async function jobsOfRunnerBeyond(
  db: Reader,
  filter: RunnerJobsFilter,
  order: KeysetOrder,
  position: Position | undefined,
  perPage: number,
) {
  const query = beyond(ofRunner(db, filter), order, position?.values, position?.backwards ?? false);
  return sliceOf(await query.limit(perPage + 1).execute(), position, perPage);
}
