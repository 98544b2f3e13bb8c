import { type Insertable, sql, type Updateable } from 'kysely';
import type { Namespace } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { EpicRow, EpicsTable } from './tables.ts';

const byIid = statement((db, param: Param<{ group: number; iid: number }>) =>
  db.selectFrom('epics').selectAll().where('namespace_id', '=', param('group')).where('iid', '=', param('iid')),
);
const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('epics').selectAll().where('id', 'in', param.ids('ids')),
);

export function findEpic(db: Reader, group: number, iid: number): Promise<EpicRow | undefined> {
  return byIid.first(db, { group, iid });
}

const numbered = statement((db, param: Param<{ group: number; iids: readonly number[] }>) =>
  db.selectFrom('epics').selectAll().where('namespace_id', '=', param('group')).where('iid', 'in', param.ids('iids')),
);

/** Epics of a group by IID. */
export async function epicsByIid(
  db: Reader,
  group: number,
  iids: readonly number[],
): Promise<ReadonlyMap<number, EpicRow>> {
  const rows = iids.length === 0 ? [] : await numbered.all(db, { group, iids: [...new Set(iids)] });
  return new Map(rows.map((row) => [row.iid, row]));
}

export async function epicsById(db: Reader, ids: Iterable<number | null>): Promise<ReadonlyMap<number, EpicRow>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  const rows = wanted.length === 0 ? [] : await byIds.all(db, { ids: wanted });
  return new Map(rows.map((row) => [row.id, row]));
}

export function insertEpic(trx: Writer, row: Insertable<EpicsTable>): Promise<EpicRow> {
  return trx.insertInto('epics').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateEpic(trx: Writer, id: number, change: Updateable<EpicsTable>): Promise<EpicRow> {
  return trx.updateTable('epics').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteEpic(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('epics').where('id', '=', id).execute();
}

const paths = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('namespaces').select(['id', 'full_path']).where('id', 'in', param.ids('ids')),
);

/** Full paths of groups by ID. */
export async function groupPaths(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = ids.length === 0 ? [] : await paths.all(db, { ids: [...new Set(ids)] });
  return new Map(rows.map(({ id, full_path }) => [id, full_path]));
}

const groups = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('namespaces').selectAll().where('id', 'in', param.ids('ids')).where('kind', '=', 'group'),
);

/** Groups by ID. */
export function groupsById(db: Reader, ids: readonly number[]): Promise<Namespace[]> {
  return ids.length === 0 ? Promise.resolve([]) : groups.all(db, { ids: [...new Set(ids)] });
}

const labelsOf = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('epic_labels').select(['epic_id', 'label_id']).where('epic_id', 'in', param.ids('ids')),
);

/** Label IDs by epic ID. */
export async function labelIds(db: Reader, epicIds: readonly number[]): Promise<ReadonlyMap<number, number[]>> {
  const rows = epicIds.length === 0 ? [] : await labelsOf.all(db, { ids: epicIds });
  const groups = Map.groupBy(rows, ({ epic_id }) => epic_id);
  return new Map([...groups].map(([id, labels]) => [id, labels.map(({ label_id }) => label_id)]));
}

export async function addLabels(trx: Writer, epicId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = ids.map((label_id) => ({ epic_id: epicId, label_id }));
  await trx
    .insertInto('epic_labels')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeLabels(trx: Writer, epicId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('epic_labels').where('epic_id', '=', epicId).where('label_id', 'in', ids).execute();
}

/** Replaces several labels by one on all epics. */
export async function mergeLabels(trx: Writer, ids: readonly number[], into: number): Promise<void> {
  if (ids.length === 0) return;
  const carrying = trx.selectFrom('epic_labels').where('label_id', 'in', ids);
  await trx
    .insertInto('epic_labels')
    .columns(['epic_id', 'label_id'])
    .expression(carrying.select(['epic_id', sql.lit(into).as('label_id')]).distinct())
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const milestoneDates = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('epic_issues')
    .innerJoin('issues', 'issues.id', 'epic_issues.issue_id')
    .innerJoin('milestones', 'milestones.id', 'issues.milestone_id')
    .select((eb) => [
      'epic_issues.epic_id',
      eb.fn.min<string | null>('milestones.start_date').as('start'),
      eb.fn.max<string | null>('milestones.due_date').as('due'),
    ])
    .where('epic_issues.epic_id', 'in', param.ids('ids'))
    .groupBy('epic_issues.epic_id'),
);

/** Earliest start and latest due date of the milestones of an epic's issues, by epic ID. */
export async function datesFromMilestones(db: Reader, ids: readonly number[]) {
  const rows = ids.length === 0 ? [] : await milestoneDates.all(db, { ids });
  return new Map(rows.map(({ epic_id, start, due }) => [epic_id, { start, due }]));
}

/** The last position among the children of an epic. */
export async function lastChildPosition(db: Reader, parent: number): Promise<number | undefined> {
  const found = await db
    .selectFrom('epics')
    .select((eb) => eb.fn.max<number | null>('relative_position').as('last'))
    .where('parent_id', '=', parent)
    .executeTakeFirst();
  return found?.last ?? undefined;
}

/** Transfers epics of a deleted user to the heir, including who closed them. */
export async function handOverEpics(trx: Writer, from: number, to: number | null): Promise<void> {
  if (to !== null) await trx.updateTable('epics').set({ author_id: to }).where('author_id', '=', from).execute();
  await trx.updateTable('epics').set({ closed_by_id: to }).where('closed_by_id', '=', from).execute();
}

/** Returns a batch of epics created by a user. */
export function epicsWrittenBy(trx: Writer, author: number, limit: number): Promise<EpicRow[]> {
  return trx.selectFrom('epics').selectAll().where('author_id', '=', author).limit(limit).execute();
}

/** Adjusts a vote count; `at`, if given, becomes `updated_at`. */
export async function countVote(
  trx: Writer,
  id: number,
  vote: 'upvotes' | 'downvotes' | undefined,
  by: 1 | -1,
  at?: number,
): Promise<void> {
  const counted = vote === undefined ? {} : { [vote]: sql<number>`${sql.ref(vote)} + ${by}` };
  const change = { ...counted, ...(at === undefined ? {} : { updated_at: at }) };
  if (Object.keys(change).length === 0) return;
  await trx.updateTable('epics').set(change).where('id', '=', id).execute();
}

/** Records the epic that an issue was promoted to. Returns false if it has already been promoted. */
export async function markPromoted(trx: Writer, issue_id: number, epic_id: number): Promise<boolean> {
  const marked = await trx
    .insertInto('promoted_issues')
    .values({ issue_id, epic_id })
    .onConflict((conflict) => conflict.column('issue_id').doNothing())
    .returning('issue_id')
    .executeTakeFirst();
  return marked !== undefined;
}

export async function isPromoted(db: Reader, issueId: number): Promise<boolean> {
  const found = await db
    .selectFrom('promoted_issues')
    .select('epic_id')
    .where('issue_id', '=', issueId)
    .executeTakeFirst();
  return found !== undefined;
}
