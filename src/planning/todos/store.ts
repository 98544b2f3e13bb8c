import { sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import { memberNamespaceIds, type Viewer } from '../../access/visibility/visible.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { type Target, targetColumns } from '../target.ts';
import type { TodoAction, TodoRow } from './tables.ts';

export interface NewTodo {
  readonly userId: number;
  readonly authorId: number;
  readonly target: Target;
  readonly action: TodoAction;
  readonly noteId?: number;
}

/** Actions of which a user can have several pending items for one target. */
const repeatableActions: readonly TodoAction[] = ['mentioned', 'directly_addressed', 'member_access_requested'];

/** Adds a to-do item; returns false if one is already pending. */
export async function addTodo(trx: Writer, todo: NewTodo): Promise<boolean> {
  return (await insertTodo(trx, todo)) !== undefined;
}

/** Like addTodo, but returns the inserted row. */
export async function insertTodo(trx: Writer, todo: NewTodo): Promise<TodoRow | undefined> {
  const { userId, authorId, target, action, noteId = null } = todo;
  // The user may ask several times at once, and no row but the new one could be locked.
  if (action === 'marked') await acquireLock(trx, `to-do items of user ${userId}`);
  if (!repeatableActions.includes(action)) {
    const pending = await trx
      .selectFrom('todos')
      .select('id')
      .where('target_type', '=', target.type)
      .where('target_id', '=', target.id)
      .where('user_id', '=', userId)
      .where('action', '=', action)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    if (pending) return undefined;
  }
  const now = Date.now();
  return trx
    .insertInto('todos')
    .values({
      user_id: userId,
      author_id: authorId,
      ...targetColumns(target),
      commit_id: null,
      note_id: noteId,
      action,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Whether a user has a pending to-do item for a target. */
export async function hasPendingTodo(
  db: Reader,
  userId: number,
  { type, id }: Pick<Target, 'type' | 'id'>,
): Promise<boolean> {
  const pending = await db
    .selectFrom('todos')
    .select('id')
    .where('target_type', '=', type)
    .where('target_id', '=', id)
    .where('user_id', '=', userId)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return pending !== undefined;
}

interface Finished extends Pick<Target, 'type' | 'id'> {
  readonly userId: number;
  readonly now: number;
}

const finishing = statement((db, param: Param<Finished>) =>
  db
    .updateTable('todos')
    .set({ state: 'done', updated_at: param('now') })
    .where('target_type', '=', param('type'))
    .where('target_id', '=', param('id'))
    .where('user_id', '=', param('userId'))
    .where('state', '=', 'pending'),
);

/** Completes the to-do items of a user for a target that the user has acted on. */
export async function finishTodos(trx: Writer, userId: number, { type, id }: Pick<Target, 'type' | 'id'>) {
  await finishing.run(trx, { type, id, userId, now: Date.now() });
}

export async function deleteTodosOf(trx: Writer, type: Target['type'], ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('todos').where('target_type', '=', type).where('target_id', 'in', ids).execute();
}

/** Marks one of the user's to-do items as done, whatever its state. */
export function finishTodo(trx: Writer, userId: number, id: number): Promise<TodoRow | undefined> {
  return trx
    .updateTable('todos')
    .set({ state: 'done', updated_at: Date.now() })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

export async function finishAll(trx: Writer, userId: number): Promise<void> {
  await trx
    .updateTable('todos')
    .set({ state: 'done', updated_at: Date.now() })
    .where('user_id', '=', userId)
    .where('state', '=', 'pending')
    .execute();
}

/** Transfers the authorship of to-do items of a deleted user to the heir, or deletes the items if there is none. */
export async function handOverTodos(trx: Writer, from: number, to: number | null): Promise<void> {
  if (to === null) await trx.deleteFrom('todos').where('author_id', '=', from).execute();
  else await trx.updateTable('todos').set({ author_id: to }).where('author_id', '=', from).execute();
}

/** Filters groups to those in which the viewer is at least planner and so may read internal notes. */
export async function groupsPlannedBy(
  db: Reader,
  { sees, user, now }: Viewer,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0 || sees === 'all') return new Set(ids);
  if (user === undefined) return new Set();
  const rows = await db
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', ids)
    .where('id', 'in', sql<number>`(${memberNamespaceIds(user, Role.planner, now)})`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
