import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { eventOperations } from '../../resource-events/public.ts';
import { epicById } from '../schema.ts';
import { readableEpicById, targetOf } from '../service.ts';

/** Routes for the resource events of an epic. */
export function epicEventRoutes(services: Services, gates: Gates): Route[] {
  const { label, state } = eventOperations(services, {
    what: 'an epic',
    gate: gates.group('read_epic', { signedIn: true }),
    params: epicById,
    found: async (_caller, subject, { epic_id }) => targetOf(await readableEpicById(services, subject, epic_id)),
  });
  return [
    route({ method: 'GET', path: '/groups/:id/epics/:epic_id/resource_state_events', ...state.list }),
    route({ method: 'GET', path: '/groups/:id/epics/:epic_id/resource_state_events/:event_id', ...state.get }),
    route({ method: 'GET', path: '/groups/:id/epics/:epic_id/resource_label_events', ...label.list }),
    route({ method: 'GET', path: '/groups/:id/epics/:epic_id/resource_label_events/:event_id', ...label.get }),
  ];
}
