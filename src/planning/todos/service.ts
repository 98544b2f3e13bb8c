import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { viewerOf } from '../../access/visibility/visible.ts';
import { NotFound, NotModified } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { lockTarget, type Target } from '../target.ts';
import { todoList } from './list.ts';
import { presentTodos } from './present.ts';
import type { TodoEntity, TodoListParams } from './schema.ts';
import * as store from './store.ts';

const ownerOf = (caller: SignedInActor) => ({ ...viewerOf(caller), user: caller.user.id });

/** Returns a page of the caller's to-do items. */
export async function listTodos(
  services: Services,
  caller: SignedInActor,
  filters: TodoListParams,
  slice: PageRequest,
): Promise<Page<TodoEntity>> {
  const asked = { state: 'pending' as const, ...filters };
  const order = { by: 'id', direction: 'desc' } as const;
  const { rows, total } = await todoList.page(services.db.read, ownerOf(caller), asked, order, slice);
  return new Page(await presentTodos(services, caller, rows), total);
}

/** Number of the caller's pending to-do items. */
export async function todosWaiting({ db }: Services, caller: SignedInActor) {
  return { todos: await todoList.count(db.read, ownerOf(caller), { state: 'pending' }, 'limit') };
}

export async function finishTodo(services: Services, caller: SignedInActor, id: number): Promise<TodoEntity> {
  const row = await services.db.write((trx) => store.finishTodo(trx, caller.user.id, id));
  const [entity] = row ? await presentTodos(services, caller, [row]) : [];
  if (!entity) throw NotFound.record();
  return entity;
}

export async function finishAllTodos({ db }: Services, caller: SignedInActor): Promise<void> {
  await db.write((trx) => store.finishAll(trx, caller.user.id));
}

/** Creates a to-do item that the caller requested explicitly; 304 if one is already pending. */
export async function createTodo(services: Services, caller: SignedInActor, target: Target): Promise<TodoEntity> {
  const { id } = caller.user;
  const row = await services.db.write(async (trx) => {
    if (!(await lockTarget(trx, target))) throw NotFound.record();
    return store.insertTodo(trx, { userId: id, authorId: id, target, action: 'marked' });
  });
  if (!row) throw new NotModified();
  const [entity] = await presentTodos(services, caller, [row]);
  if (!entity) throw NotFound.record();
  return entity;
}
