import type { Insertable, Updateable } from 'kysely';
import { belongsTo, type OwnerColumns } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import type { BoardKind, BoardListRow, BoardRow, BoardsTable } from './tables.ts';

interface BoardScope {
  readonly project_id?: number | undefined;
  readonly namespace_id?: number | undefined;
  readonly kind: BoardKind;
}

/** Boards of a project or group, oldest first. */
export const boardList = list({
  id: 'boards.id',
  scope: boundProperties<BoardScope>()({ values: ['project_id', 'namespace_id', 'kind'] }),
  filters: {},
  orders: { id: byId },
  select: (db, ask) =>
    db
      .selectFrom('boards')
      .selectAll('boards')
      .where(belongsTo('boards', { project_id: ask.project_id, namespace_id: ask.namespace_id }))
      .where('boards.kind', '=', ask.kind),
});

const byNumber = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('boards').selectAll().where('id', '=', param('id')),
);

/** A board of this kind that belongs to exactly this project or group. */
export async function findBoard(
  db: Reader,
  owner: OwnerColumns,
  kind: BoardKind,
  id: number,
): Promise<BoardRow | undefined> {
  const board = await byNumber.first(db, { id });
  const own = board?.project_id === owner.project_id && board.namespace_id === owner.namespace_id;
  return own && board.kind === kind ? board : undefined;
}

export function insertBoard(trx: Writer, row: Insertable<BoardsTable>): Promise<BoardRow> {
  return trx.insertInto('boards').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateBoard(trx: Writer, id: number, change: Updateable<BoardsTable>): Promise<BoardRow> {
  return trx.updateTable('boards').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteBoard(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('boards').where('id', '=', id).execute();
}

const listsIn = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('board_lists')
    .selectAll()
    .where('board_id', 'in', param.ids('ids'))
    .orderBy('board_id')
    .orderBy('position')
    .orderBy('id'),
);

/** Lists by board ID, in their order. */
export async function listsOf(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, BoardListRow[]>> {
  const rows = ids.length === 0 ? [] : await listsIn.all(db, { ids });
  return Map.groupBy(rows, ({ board_id }) => board_id);
}

/** Labels of the lists of a project's only board; undefined if it has no board or several. */
export async function columnsOfOnlyBoard(db: Reader, projectId: number): Promise<number[] | undefined> {
  const boards = await db.selectFrom('boards').select('id').where('project_id', '=', projectId).limit(2).execute();
  const [only, ...more] = boards;
  if (!only || more.length > 0) return undefined;
  const lists = await listsIn.all(db, { ids: [only.id] });
  return lists.flatMap(({ label_id }) => label_id ?? []);
}

const labelsIn = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('board_labels').selectAll().where('board_id', 'in', param.ids('ids')),
);

/** Labels that boards are filtered by, by board ID. */
export async function labelsOf(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, number[]>> {
  const rows = ids.length === 0 ? [] : await labelsIn.all(db, { ids });
  const groups = Map.groupBy(rows, ({ board_id }) => board_id);
  return new Map([...groups].map(([id, labels]) => [id, labels.map(({ label_id }) => label_id)]));
}

export async function setLabels(trx: Writer, board_id: number, ids: readonly number[]): Promise<void> {
  await trx.deleteFrom('board_labels').where('board_id', '=', board_id).execute();
  if (ids.length === 0) return;
  await trx
    .insertInto('board_labels')
    .values(ids.map((label_id) => ({ board_id, label_id })))
    .execute();
}

/** Replaces merged milestones in boards and lists by the remaining one. */
export async function mergeMilestones(trx: Writer, ids: readonly number[], into: number): Promise<void> {
  if (ids.length === 0) return;
  await trx.updateTable('boards').set({ milestone_id: into }).where('milestone_id', 'in', ids).execute();
  await trx.updateTable('board_lists').set({ milestone_id: into }).where('milestone_id', 'in', ids).execute();
}

/** Replaces merged labels in lists by the remaining one; a board with lists for several of them keeps the first. */
export async function mergeLabels(trx: Writer, ids: readonly number[], into: number): Promise<void> {
  if (ids.length === 0) return;
  const merged = [...new Set([...ids, into])];
  const first = trx
    .selectFrom('board_lists')
    .select((eb) => eb.fn.min('id').as('id'))
    .where('label_id', 'in', merged)
    .groupBy('board_id');
  await trx.deleteFrom('board_lists').where('label_id', 'in', merged).where('id', 'not in', first).execute();
  await trx.updateTable('board_lists').set({ label_id: into }).where('label_id', 'in', merged).execute();
  const narrowed = await trx.selectFrom('board_labels').select('board_id').where('label_id', 'in', ids).execute();
  if (narrowed.length === 0) return;
  await trx
    .insertInto('board_labels')
    .values([...new Set(narrowed.map(({ board_id }) => board_id))].map((board_id) => ({ board_id, label_id: into })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
