import type { Area } from '../../access/area.ts';
import { todoRoutes } from './routes.ts';

export const todos: Area = {
  name: 'todos',
  routes: todoRoutes,
};
