import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'todos';

export function todoRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/todos',
      tag,
      summary: 'List to-do items',
      gate: gates.signedIn,
      params: schema.listParams,
      paginated: true,
      responses: { 200: Type.Array(schema.Todo) },
      handle: ({ caller, params, page }) => service.listTodos(services, caller, params, page),
    }),
    route({
      method: 'POST',
      path: '/todos/:id/mark_as_done',
      tag,
      summary: 'Mark a to-do item as done',
      gate: gates.signedIn,
      params: schema.oneTodo,
      responses: { 201: schema.Todo },
      handle: ({ caller, params }) => service.finishTodo(services, caller, params.id),
    }),
    route({
      method: 'POST',
      path: '/todos/mark_as_done',
      tag,
      summary: 'Mark all to-do items as done',
      gate: gates.signedIn,
      params: {},
      responses: { 204: null },
      handle: ({ caller }) => service.finishAllTodos(services, caller),
    }),
  ];
}
