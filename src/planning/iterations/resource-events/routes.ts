import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'resource-events';

/** Routes for the iteration events of an issue. */
export function iterationEventRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_issue', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_iteration_events',
      tag,
      summary: 'List iteration events of an issue',
      gate,
      params: schema.oneIssue,
      paginated: true,
      responses: { 200: Type.Array(schema.IterationEvent) },
      handle: ({ caller, subject, params, page }) =>
        service.listIterationEvents(services, caller, subject, params.issue_iid, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_iteration_events/:event_id',
      tag,
      summary: 'Get an iteration event of an issue',
      gate,
      params: schema.oneEvent,
      responses: { 200: schema.IterationEvent },
      handle: ({ caller, subject, params }) => service.getIterationEvent(services, caller, subject, params),
    }),
  ];
}
