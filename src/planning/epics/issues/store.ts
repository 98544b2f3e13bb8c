import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { positionGap } from '../../positions.ts';
import type { EpicIssueRow } from '../tables.ts';

const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('epic_issues').selectAll().where('id', 'in', param.ids('ids')),
);
const byIssues = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('epic_issues').selectAll().where('issue_id', 'in', param.ids('ids')),
);

/** Associations of epics and issues, by ID. */
export async function linksById(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, EpicIssueRow>> {
  const rows = ids.length === 0 ? [] : await byIds.all(db, { ids });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Associations of issues with epics, by issue ID. */
export async function linksOf(db: Reader, issueIds: readonly number[]): Promise<ReadonlyMap<number, EpicIssueRow>> {
  const rows = issueIds.length === 0 ? [] : await byIssues.all(db, { ids: issueIds });
  return new Map(rows.map((row) => [row.issue_id, row]));
}

/** Appends an issue to an epic, removing it from its previous one. */
export async function linkIssue(trx: Writer, epic_id: number, issue_id: number): Promise<EpicIssueRow> {
  const last = await trx
    .selectFrom('epic_issues')
    .select((eb) => eb.fn.max<number | null>('relative_position').as('last'))
    .where('epic_id', '=', epic_id)
    .executeTakeFirst();
  const relative_position = (last?.last ?? 0) + positionGap;
  return trx
    .insertInto('epic_issues')
    .values({ epic_id, issue_id, relative_position })
    .onConflict((conflict) => conflict.column('issue_id').doUpdateSet({ epic_id, relative_position }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function unlinkIssue(trx: Writer, issue_id: number): Promise<void> {
  await trx.deleteFrom('epic_issues').where('issue_id', '=', issue_id).execute();
}

/** Removes the issues of a project from the epics of these groups. */
export async function unlinkIssuesOf(trx: Writer, projectId: number, groups: readonly number[]): Promise<void> {
  if (groups.length === 0) return;
  const epics = trx.selectFrom('epics').select('id').where('namespace_id', 'in', groups);
  const issues = trx.selectFrom('issues').select('id').where('project_id', '=', projectId);
  await trx.deleteFrom('epic_issues').where('epic_id', 'in', epics).where('issue_id', 'in', issues).execute();
}

export async function moveLink(trx: Writer, id: number, relative_position: number): Promise<void> {
  await trx.updateTable('epic_issues').set({ relative_position }).where('id', '=', id).execute();
}

/** Renumbers the issues of an epic in their current order, to make room between two of them. */
export async function spreadIssues(trx: Writer, epic: number): Promise<void> {
  await sql`update epic_issues set relative_position = ordered.n * ${sql.lit(positionGap)}
    from (select id, row_number() over (order by relative_position, id) as n from epic_issues where epic_id = ${epic}) ordered
    where ordered.id = epic_issues.id`.execute(trx);
}

/** Number of non-confidential issues and children of an epic. */
export async function countNonConfidential(db: Reader, epic: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`select
    (select count(*) from epic_issues l join issues i on i.id = l.issue_id where l.epic_id = ${epic} and i.confidential = 0)
    + (select count(*) from epics c where c.parent_id = ${epic} and c.confidential = 0) as n`.execute(db);
  return Number(rows[0]?.n ?? 0);
}
