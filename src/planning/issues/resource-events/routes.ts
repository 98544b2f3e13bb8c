import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { eventOperations } from '../../resource-events/public.ts';
import { targetOf } from '../changes/records.ts';
import { oneIssue } from '../schema.ts';
import { readableIssue } from '../service.ts';

/** Routes for the resource events of an issue. */
export function issueEventRoutes(services: Services, gates: Gates): Route[] {
  const { label, milestone, state, weight } = eventOperations(services, {
    what: 'an issue',
    gate: gates.project('read_issue', { signedIn: true }),
    params: oneIssue,
    found: async (caller, subject, { issue_iid }) =>
      targetOf((await readableIssue(services, caller, subject, issue_iid)).issue),
  });
  return [
    route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/resource_state_events', ...state.list }),
    route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/resource_state_events/:event_id', ...state.get }),
    route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/resource_label_events', ...label.list }),
    route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/resource_label_events/:event_id', ...label.get }),
    route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/resource_milestone_events', ...milestone.list }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_milestone_events/:event_id',
      ...milestone.get,
    }),
    route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/resource_weight_events', ...weight.list }),
    route({ method: 'GET', path: '/projects/:id/issues/:issue_iid/resource_weight_events/:event_id', ...weight.get }),
  ];
}
