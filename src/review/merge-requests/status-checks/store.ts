import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { Check, CheckRow, ExternalStatusChecksTable, ResponseRow, StatusCheckResponsesTable } from './tables.ts';

const ofProjects = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('external_status_checks').selectAll().where('project_id', 'in', param.ids('ids')).orderBy('id'),
);
const branches = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('external_status_check_branches as c')
    .innerJoin('protected_branches as b', 'b.id', 'c.branch_id')
    .select(['c.check_id', 'b.id', 'b.name'])
    .where('c.check_id', 'in', param.ids('ids'))
    .orderBy('b.id'),
);

/** Checks of projects, in two queries. */
export async function checksOf(db: Reader, projectIds: readonly number[]): Promise<Check[]> {
  const rows = projectIds.length === 0 ? [] : await ofProjects.all(db, { ids: [...new Set(projectIds)] });
  const named = rows.length === 0 ? [] : await branches.all(db, { ids: rows.map(({ id }) => id) });
  const byCheck = Map.groupBy(named, ({ check_id }) => check_id);
  return rows.map((row) => ({ row, branches: byCheck.get(row.id) ?? [] }));
}

const numbered = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('external_status_checks').selectAll().where('id', '=', param('id')),
);

export function checkById(db: Reader, id: number): Promise<CheckRow | undefined> {
  return numbered.first(db, { id });
}

export function insertCheck(trx: Writer, row: Insertable<ExternalStatusChecksTable>): Promise<CheckRow> {
  return trx.insertInto('external_status_checks').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateCheck(
  trx: Writer,
  id: number,
  change: Updateable<ExternalStatusChecksTable>,
): Promise<void> {
  await trx.updateTable('external_status_checks').set(change).where('id', '=', id).execute();
}

export async function deleteCheck(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('external_status_checks').where('id', '=', id).execute();
}

/** Replaces the protected branches that a check applies to. */
export async function setBranches(trx: Writer, checkId: number, branchIds: readonly number[]): Promise<void> {
  await trx.deleteFrom('external_status_check_branches').where('check_id', '=', checkId).execute();
  const rows = [...new Set(branchIds)].map((branch_id) => ({ check_id: checkId, branch_id }));
  if (rows.length > 0) await trx.insertInto('external_status_check_branches').values(rows).execute();
}

const ofHeads = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('status_check_responses as r')
    .innerJoin('merge_requests as m', (join) =>
      join.onRef('m.id', '=', 'r.merge_request_id').onRef('m.head_sha', '=', 'r.sha'),
    )
    .selectAll('r')
    .where('r.merge_request_id', 'in', param.ids('ids')),
);

/** Responses for the current heads of merge requests. */
export function responsesTo(db: Reader, requestIds: readonly number[]): Promise<ResponseRow[]> {
  return requestIds.length === 0 ? Promise.resolve([]) : ofHeads.all(db, { ids: requestIds });
}

/** Stores the response of a check for a head, replacing a previous one. */
export function storeResponse(trx: Writer, row: Insertable<StatusCheckResponsesTable>): Promise<ResponseRow> {
  const { status, answered_at } = row;
  return trx
    .insertInto('status_check_responses')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['merge_request_id', 'sha', 'check_id']).doUpdateSet({ status, answered_at }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteResponse(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('status_check_responses').where('id', '=', id).execute();
}
