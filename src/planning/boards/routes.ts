import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'boards';

/** Routes for the issue boards of projects and groups. */
export function boardRoutes(services: Services, gates: Gates): Route[] {
  return [...projectRoutes(services, gates), ...groupRoutes(services, gates)];
}

function projectRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_issue_board', { signedIn: true });
  const managing = gates.project('admin_issue_board');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/boards',
      tag,
      summary: 'List issue boards of a project',
      gate: reading,
      params: schema.place,
      paginated: true,
      responses: { 200: Type.Array(schema.Board) },
      handle: ({ caller, subject, page }) => service.listBoards(services, caller, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/boards',
      tag,
      summary: 'Create a project issue board',
      gate: managing,
      params: schema.newBoard,
      responses: { 201: schema.Board },
      handle: ({ caller, subject, params }) => service.createBoard(services, caller, subject, params.name),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/boards/:board_id',
      tag,
      summary: 'Get a project issue board',
      gate: reading,
      params: schema.oneBoard,
      responses: { 200: schema.Board },
      handle: ({ caller, subject, params }) => service.getBoard(services, caller, subject, params.board_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/boards/:board_id',
      tag,
      summary: 'Update a project issue board',
      gate: managing,
      params: schema.boardChange,
      responses: { 200: schema.Board },
      handle: ({ caller, subject, params }) => service.updateBoard(services, caller, subject, params.board_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/boards/:board_id',
      tag,
      summary: 'Delete a project issue board',
      gate: managing,
      params: schema.oneBoard,
      responses: { 204: null },
      handle: ({ subject, params, request }) => service.deleteBoard(services, subject, params.board_id, request),
    }),
  ];
}

function groupRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_issue_board', { signedIn: true });
  const managing = gates.group('admin_issue_board');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/boards',
      tag,
      summary: 'List issue boards of a group',
      gate: reading,
      params: schema.place,
      paginated: true,
      responses: { 200: Type.Array(schema.Board) },
      handle: ({ caller, subject, page }) => service.listBoards(services, caller, subject, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/boards',
      tag,
      summary: 'Create a group issue board',
      gate: managing,
      params: schema.newBoard,
      responses: { 201: schema.Board },
      handle: ({ caller, subject, params }) => service.createBoard(services, caller, subject, params.name),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/boards/:board_id',
      tag,
      summary: 'Get a group issue board',
      gate: reading,
      params: schema.oneBoard,
      responses: { 200: schema.Board },
      handle: ({ caller, subject, params }) => service.getBoard(services, caller, subject, params.board_id),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/boards/:board_id',
      tag,
      summary: 'Update a group issue board',
      gate: managing,
      params: schema.boardChange,
      responses: { 200: schema.Board },
      handle: ({ caller, subject, params }) => service.updateBoard(services, caller, subject, params.board_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/boards/:board_id',
      tag,
      summary: 'Delete a group issue board',
      gate: managing,
      params: schema.oneBoard,
      responses: { 204: null },
      handle: ({ subject, params, request }) => service.deleteBoard(services, subject, params.board_id, request),
    }),
  ];
}
