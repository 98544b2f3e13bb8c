import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as lists from '../lists/service.ts';
import { listChange, newBoard, oneBoard, oneList, place } from '../schema.ts';
import * as boards from '../service.ts';
import { presentBoard, presentList } from './present.ts';
import * as schema from './schema.ts';

const tag = 'epics';
const kind = 'epics';

/** Routes for the epic boards of a group. */
export function epicBoardRoutes(services: Services, gates: Gates): Route[] {
  return [...boardRoutes(services, gates), ...listRoutes(services, gates)];
}

function boardRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_epic_board', { signedIn: true });
  const managing = gates.group('admin_epic_board');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/epic_boards',
      tag,
      summary: 'List epic boards of a group',
      gate: reading,
      params: place,
      paginated: true,
      responses: { 200: Type.Array(schema.EpicBoard) },
      handle: async ({ caller, subject, page }) =>
        (await boards.listBoards(services, caller, subject, page, kind)).map(presentBoard),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epic_boards',
      tag,
      summary: 'Create an epic board',
      gate: managing,
      params: newBoard,
      responses: { 201: schema.EpicBoard },
      handle: async ({ caller, subject, params }) =>
        presentBoard(await boards.createBoard(services, caller, subject, params.name, kind)),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epic_boards/:board_id',
      tag,
      summary: 'Get an epic board',
      gate: reading,
      params: oneBoard,
      responses: { 200: schema.EpicBoard },
      handle: async ({ caller, subject, params }) =>
        presentBoard(await boards.getBoard(services, caller, subject, params.board_id, kind)),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/epic_boards/:board_id',
      tag,
      summary: 'Update an epic board',
      gate: managing,
      params: schema.boardChange,
      rules: schema.changeRules,
      responses: { 200: schema.EpicBoard },
      handle: async ({ caller, subject, params }) =>
        presentBoard(await boards.updateBoard(services, caller, subject, params.board_id, params, kind)),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/epic_boards/:board_id',
      tag,
      summary: 'Delete an epic board',
      gate: managing,
      params: oneBoard,
      responses: { 204: null },
      handle: ({ subject, params, request }) => boards.deleteBoard(services, subject, params.board_id, request, kind),
    }),
  ];
}

function listRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_epic_board', { signedIn: true });
  const managing = gates.group('admin_epic_board');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/epic_boards/:board_id/lists',
      tag,
      summary: 'List board lists of an epic board',
      gate: reading,
      params: oneBoard,
      paginated: true,
      responses: { 200: Type.Array(schema.EpicBoardList) },
      handle: async ({ subject, params, page }) =>
        (await lists.listLists(services, subject, params.board_id, page, kind)).map(presentList),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epic_boards/:board_id/lists',
      tag,
      summary: 'Create an epic board list',
      gate: managing,
      params: schema.newList,
      responses: { 201: schema.EpicBoardList },
      handle: async ({ subject, params: { board_id, label_id } }) =>
        presentList(await lists.createList(services, subject, board_id, { label_id }, kind)),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epic_boards/:board_id/lists/:list_id',
      tag,
      summary: 'Get an epic board list',
      gate: reading,
      params: oneList,
      responses: { 200: schema.EpicBoardList },
      handle: async ({ subject, params }) =>
        presentList(await lists.getList(services, subject, params.board_id, params.list_id, kind)),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/epic_boards/:board_id/lists/:list_id',
      tag,
      summary: 'Reorder an epic board list',
      gate: managing,
      params: listChange,
      responses: { 200: schema.EpicBoardList },
      handle: async ({ subject, params: { board_id, list_id, position } }) =>
        presentList(await lists.moveList(services, subject, board_id, list_id, position, kind)),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/epic_boards/:board_id/lists/:list_id',
      tag,
      summary: 'Delete an epic board list',
      gate: managing,
      params: oneList,
      responses: { 204: null },
      handle: ({ subject, params, request }) =>
        lists.deleteList(services, subject, params.board_id, params.list_id, request, kind),
    }),
  ];
}
