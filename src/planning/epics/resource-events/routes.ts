import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { resourceEvents } from '../../resource-events/public.ts';
import { epicById } from '../schema.ts';
import { readableEpicById, targetOf } from '../service.ts';

const tag = 'resource-events';
const oneEvent = { ...epicById, ...resourceEvents.eventId };

/** What is on record of an epic beside its notes. */
export function epicEventRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('read_epic', { signedIn: true });
  const found = async (subject: GroupSubject, { epic_id }: { epic_id: number }) =>
    targetOf(await readableEpicById(services, subject, epic_id));
  return [
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_id/resource_state_events',
      tag,
      summary: 'List the state events of an epic',
      gate,
      params: epicById,
      paginated: true,
      answers: { 200: Type.Array(resourceEvents.StateEvent) },
      handle: async ({ subject, params, page }) =>
        resourceEvents.listResourceEvents(services, 'state', await found(subject, params), page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_id/resource_state_events/:event_id',
      tag,
      summary: 'Get a state event of an epic',
      gate,
      params: oneEvent,
      answers: { 200: resourceEvents.StateEvent },
      handle: async ({ subject, params }) =>
        resourceEvents.getResourceEvent(services, 'state', await found(subject, params), params.event_id),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_id/resource_label_events',
      tag,
      summary: 'List the label events of an epic',
      gate,
      params: epicById,
      paginated: true,
      answers: { 200: Type.Array(resourceEvents.LabelEvent) },
      handle: async ({ subject, params, page }) =>
        resourceEvents.listResourceEvents(services, 'label', await found(subject, params), page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_id/resource_label_events/:event_id',
      tag,
      summary: 'Get a label event of an epic',
      gate,
      params: oneEvent,
      answers: { 200: resourceEvents.LabelEvent },
      handle: async ({ subject, params }) =>
        resourceEvents.getResourceEvent(services, 'label', await found(subject, params), params.event_id),
    }),
  ];
}
