import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import { groupEvents, ownEvents, projectEvents, userCalendar, userEvents } from './service.ts';

const tag = 'events';
const responses = { 200: Type.Array(schema.Event) };

/** Routes of the event feeds. */
export function eventRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/events',
      tag,
      summary: 'List events of the current user',
      gate: gates.signedIn,
      params: schema.ownFilters,
      paginated: true,
      scopes: ['read_user'],
      responses,
      handle: ({ caller, params, page }) => ownEvents(services, caller, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/events',
      tag,
      summary: 'List events of a project',
      gate: gates.project('read_event'),
      params: schema.projectFilters,
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) => projectEvents(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/events',
      tag,
      summary: 'List events of the projects in a group',
      gate: gates.group('read_group'),
      params: schema.groupFilters,
      paginated: true,
      responses,
      handle: ({ caller, subject, params, page }) => groupEvents(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/users/:id/calendar',
      tag,
      summary: 'Get the contribution calendar of a user',
      gate: gates.anyone,
      params: schema.oneUser,
      scopes: ['read_user'],
      responses: { 200: schema.Calendar },
      handle: ({ caller, params }) => userCalendar(services, caller, params.id),
    }),
    route({
      method: 'GET',
      path: '/users/:id/events',
      tag,
      summary: 'List events of a user',
      gate: gates.anyone,
      params: schema.userFilters,
      paginated: true,
      scopes: ['read_user'],
      responses,
      handle: ({ caller, params, page }) => userEvents(services, caller, params.id, params, page),
    }),
  ];
}
