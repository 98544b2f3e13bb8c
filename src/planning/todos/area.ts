import type { Area } from '../../access/area.ts';
import { todoRoutes } from './routes.ts';
import { todosWaiting } from './service.ts';
import { finishTodos, handOverTodos } from './store.ts';

export const todos: Area = {
  name: 'todos',
  routes: todoRoutes,
  contributes: { 'users.waiting': todosWaiting },
  on: {
    'user.removed': (_services, trx, { user, heir }) => handOverTodos(trx, user.id, heir?.id ?? null),
    // Commenting on an item or reacting to it completes the user's to-do items for it.
    'note.changed': async (_services, trx, { action, actorId, noteable }) => {
      if (action === 'create') await finishTodos(trx, actorId, noteable.target);
    },
    'award.changed': async (_services, trx, { action, actorId, about }) => {
      if (action === 'award') await finishTodos(trx, actorId, about);
    },
  },
};
