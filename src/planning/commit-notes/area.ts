import type { Area } from '../../access/area.ts';
import { commentRoutes } from './comments/routes.ts';
import { commitDiscussionRoutes } from './discussions/routes.ts';
import { commitTodoTarget } from './todo-target.ts';

export const commitNotes: Area = {
  name: 'commit-notes',
  routes: (services, gates) => [...commentRoutes(services, gates), ...commitDiscussionRoutes(services, gates)],
  contributes: { 'todos.targets': commitTodoTarget },
};
