import type { Area } from '../../access/area.ts';
import { todoRoutes } from './routes.ts';
import { finishTodos } from './store.ts';

export const todos: Area = {
  name: 'todos',
  routes: todoRoutes,
  on: {
    // Whoever comments on something has done what they had to do about it.
    'note.changed': async (_services, trx, { action, actorId, noteable }) => {
      if (action === 'create') await finishTodos(trx, actorId, noteable.target);
    },
  },
};
