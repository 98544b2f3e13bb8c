import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'sessions';

/** `/user/sessions`: sessions of the current user. */
export function sessionRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/user/sessions',
      tag,
      summary: 'List sessions of the current user',
      gate: gates.signedIn,
      params: {},
      paginated: true,
      responses: { 200: Type.Array(schema.Session) },
      handle: ({ subject, page, request }) => service.listSessions(services, subject, page, request.headers.cookie),
    }),
    route({
      method: 'DELETE',
      path: '/user/sessions/:session_id',
      tag,
      summary: 'Delete a session of the current user',
      gate: gates.signedIn,
      params: schema.one,
      responses: { 204: null },
      handle: ({ subject, params }) => service.endSession(services, subject, params.session_id),
    }),
  ];
}
