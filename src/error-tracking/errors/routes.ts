import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Issue } from '../../planning/issues/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'error_tracking';

/** `/projects/:id/error_tracking/errors`. */
export function errorRoutes(services: Services, gates: Gates): Route[] {
  const read = gates.project('read_error_tracking', { signedIn: true });
  const update = gates.project('update_error_tracking');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/error_tracking/errors',
      tag,
      summary: 'List project errors',
      gate: read,
      params: schema.list,
      paginated: true,
      responses: { 200: Type.Array(schema.TrackedError) },
      handle: ({ subject, params, page }) => service.listTracked(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/error_tracking/errors/:error_id',
      tag,
      summary: 'Get a project error',
      gate: read,
      params: schema.oneError,
      responses: { 200: schema.TrackedErrorDetail },
      handle: ({ subject, params }) => service.getError(services, subject, params.error_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/error_tracking/errors/:error_id',
      tag,
      summary: 'Update a project error',
      gate: update,
      params: schema.change,
      responses: { 200: schema.TrackedErrorDetail },
      handle: ({ caller, subject, params }) =>
        service.changeError(services, caller, subject, params.error_id, params.status),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/error_tracking/errors/:error_id/issue',
      tag,
      summary: 'Create an issue from an error',
      gate: update,
      params: schema.oneError,
      responses: { 201: Issue },
      handle: ({ caller, subject, params }) => service.createIssue(services, caller, subject, params.error_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/error_tracking/errors/:error_id/stack_trace',
      tag,
      summary: 'Get the stack trace of the latest event of an error',
      gate: read,
      params: schema.oneError,
      responses: { 200: schema.ErrorStackTrace },
      handle: ({ subject, params }) => service.getStackTrace(services, subject, params.error_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/error_tracking/errors/:error_id/events',
      tag,
      summary: 'List events of an error',
      gate: read,
      params: schema.events,
      paginated: true,
      responses: { 200: Type.Array(schema.ErrorEvent) },
      handle: ({ subject, params, page }) => service.listEvents(services, subject, params.error_id, params.sort, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/error_tracking/errors/:error_id/events/:event_id',
      tag,
      summary: 'Get an event of an error',
      gate: read,
      params: schema.oneEvent,
      responses: { 200: schema.ErrorEventDetail },
      handle: ({ subject, params }) => service.getEvent(services, subject, params.error_id, params.event_id),
    }),
  ];
}
