import type { Writer } from '../../platform/database/database.ts';
import { type Target, targetColumns } from '../target.ts';
import type { TodoAction } from './tables.ts';

export interface NewTodo {
  readonly userId: number;
  readonly authorId: number;
  readonly target: Target;
  readonly action: TodoAction;
  readonly noteId?: number;
}

/** Of these kinds somebody may have several pending ones about one target. */
const pilingUp: readonly TodoAction[] = ['mentioned', 'directly_addressed', 'member_access_requested'];

/** Gives somebody something to do; false where they have it to do already. */
export async function addTodo(trx: Writer, todo: NewTodo): Promise<boolean> {
  const { userId, authorId, target, action, noteId = null } = todo;
  if (!pilingUp.includes(action)) {
    const pending = await trx
      .selectFrom('todos')
      .select('id')
      .where('target_type', '=', target.type)
      .where('target_id', '=', target.id)
      .where('user_id', '=', userId)
      .where('action', '=', action)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    if (pending) return false;
  }
  const now = Date.now();
  await trx
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
    .execute();
  return true;
}

/** What somebody had to do about a target is done, since they acted on it. */
export async function finishTodos(trx: Writer, userId: number, { type, id }: Pick<Target, 'type' | 'id'>) {
  await trx
    .updateTable('todos')
    .set({ state: 'done', updated_at: Date.now() })
    .where('target_type', '=', type)
    .where('target_id', '=', id)
    .where('user_id', '=', userId)
    .where('state', '=', 'pending')
    .execute();
}

export async function deleteTodosOf(trx: Writer, type: Target['type'], ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('todos').where('target_type', '=', type).where('target_id', 'in', ids).execute();
}
