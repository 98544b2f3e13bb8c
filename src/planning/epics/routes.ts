import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { mutuallyExclusive } from '../../platform/http/params.ts';
import { Todo } from '../todos/public.ts';
import { createEpic, updateEpic } from './edit.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { createEpicTodo } from './todo-target.ts';

const tag = 'epics';

export function epicRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_epic');
  const signedIn = gates.group('read_epic', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/epics',
      tag,
      summary: 'List epics of a group',
      gate: reading,
      params: schema.listed,
      rules: [mutuallyExclusive('author_id', 'author_username')],
      paginated: true,
      responses: { 200: Type.Array(schema.Epic) },
      handle: ({ caller, subject, params: { id: _, ...params }, page }) =>
        service.listEpics(services, caller, subject, params, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epics',
      tag,
      summary: 'Create an epic',
      gate: gates.group('create_epic'),
      params: schema.newEpic,
      responses: { 201: schema.Epic },
      handle: ({ caller, subject, params }) => createEpic(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid',
      tag,
      summary: 'Get an epic',
      gate: reading,
      params: schema.oneEpic,
      responses: { 200: schema.Epic },
      handle: ({ caller, subject, params }) => service.getEpic(services, caller, subject, params.epic_iid),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/epics/:epic_iid',
      tag,
      summary: 'Update an epic',
      gate: signedIn,
      params: schema.epicChange,
      rules: schema.changeRules,
      responses: { 200: schema.Epic },
      handle: ({ caller, subject, params }) => updateEpic(services, caller, subject, params.epic_iid, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/epics/:epic_iid',
      tag,
      summary: 'Delete an epic',
      gate: signedIn,
      params: schema.oneEpic,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteEpic(services, caller, subject, params.epic_iid, request),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epics/:epic_iid/todo',
      tag,
      summary: 'Create a to-do item for an epic',
      gate: signedIn,
      params: schema.oneEpic,
      responses: { 201: Todo, 304: null },
      handle: ({ caller, subject, params }) => createEpicTodo(services, caller, subject, params.epic_iid),
    }),
  ];
}
