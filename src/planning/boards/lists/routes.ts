import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from '../schema.ts';
import * as service from './service.ts';

const tag = 'boards';

/** Routes for the lists of issue boards. */
export function boardListRoutes(services: Services, gates: Gates): Route[] {
  return [...projectRoutes(services, gates), ...groupRoutes(services, gates)];
}

function projectRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_issue_board', { signedIn: true });
  const managing = gates.project('admin_issue_board');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/boards/:board_id/lists',
      tag,
      summary: 'List board lists of a project issue board',
      gate: reading,
      params: schema.oneBoard,
      paginated: true,
      responses: { 200: Type.Array(schema.BoardList) },
      handle: ({ subject, params, page }) => service.listLists(services, subject, params.board_id, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/boards/:board_id/lists',
      tag,
      summary: 'Create a project issue board list',
      gate: managing,
      params: schema.newList,
      rules: schema.newListRules,
      responses: { 201: schema.BoardList },
      handle: ({ subject, params }) => service.createList(services, subject, params.board_id, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/boards/:board_id/lists/:list_id',
      tag,
      summary: 'Get a project issue board list',
      gate: reading,
      params: schema.oneList,
      responses: { 200: schema.BoardList },
      handle: ({ subject, params }) => service.getList(services, subject, params.board_id, params.list_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/boards/:board_id/lists/:list_id',
      tag,
      summary: 'Reorder a project issue board list',
      gate: managing,
      params: schema.listChange,
      responses: { 200: schema.BoardList },
      handle: ({ subject, params }) =>
        service.moveList(services, subject, params.board_id, params.list_id, params.position),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/boards/:board_id/lists/:list_id',
      tag,
      summary: 'Delete a project issue board list',
      gate: managing,
      params: schema.oneList,
      responses: { 204: null },
      handle: ({ subject, params, request }) =>
        service.deleteList(services, subject, params.board_id, params.list_id, request),
    }),
  ];
}

function groupRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_issue_board', { signedIn: true });
  const managing = gates.group('admin_issue_board');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/boards/:board_id/lists',
      tag,
      summary: 'List board lists of a group issue board',
      gate: reading,
      params: schema.oneBoard,
      paginated: true,
      responses: { 200: Type.Array(schema.BoardList) },
      handle: ({ subject, params, page }) => service.listLists(services, subject, params.board_id, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/boards/:board_id/lists',
      tag,
      summary: 'Create a group issue board list',
      gate: managing,
      params: schema.newList,
      rules: schema.newListRules,
      responses: { 201: schema.BoardList },
      handle: ({ subject, params }) => service.createList(services, subject, params.board_id, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/boards/:board_id/lists/:list_id',
      tag,
      summary: 'Get a group issue board list',
      gate: reading,
      params: schema.oneList,
      responses: { 200: schema.BoardList },
      handle: ({ subject, params }) => service.getList(services, subject, params.board_id, params.list_id),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/boards/:board_id/lists/:list_id',
      tag,
      summary: 'Reorder a group issue board list',
      gate: managing,
      params: schema.listChange,
      responses: { 200: schema.BoardList },
      handle: ({ subject, params }) =>
        service.moveList(services, subject, params.board_id, params.list_id, params.position),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/boards/:board_id/lists/:list_id',
      tag,
      summary: 'Delete a group issue board list',
      gate: managing,
      params: schema.oneList,
      responses: { 204: null },
      handle: ({ subject, params, request }) =>
        service.deleteList(services, subject, params.board_id, params.list_id, request),
    }),
  ];
}
