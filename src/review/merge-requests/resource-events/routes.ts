import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { eventOperations } from '../../../planning/resource-events/public.ts';
import { requestTarget } from '../changes/records.ts';
import { oneRequest } from '../schema.ts';
import { requireRequest } from '../service.ts';

/** Routes for the resource events of a merge request. */
export function requestEventRoutes(services: Services, gates: Gates): Route[] {
  const { label, milestone, state } = eventOperations(services, {
    what: 'a merge request',
    gate: gates.project('read_merge_request', { signedIn: true }),
    params: oneRequest,
    found: async (_caller, subject, { merge_request_iid }) =>
      requestTarget((await requireRequest(services, subject, merge_request_iid)).request),
  });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_state_events',
      ...state.list,
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_state_events/:event_id',
      ...state.get,
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_label_events',
      ...label.list,
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_label_events/:event_id',
      ...label.get,
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_milestone_events',
      ...milestone.list,
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_milestone_events/:event_id',
      ...milestone.get,
    }),
  ];
}
