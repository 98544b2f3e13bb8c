import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { resourceEvents } from '../../../planning/resource-events/public.ts';
import { targetOf } from '../changes/records.ts';
import { oneRequest } from '../schema.ts';
import { requireRequest } from '../service.ts';

const tag = 'resource-events';
const oneEvent = { ...oneRequest, ...resourceEvents.eventId };

/** What is on record of a merge request beside its notes. */
export function requestEventRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_merge_request', { signedIn: true });
  const found = async (subject: ProjectSubject, { merge_request_iid }: { readonly merge_request_iid: number }) =>
    targetOf((await requireRequest(services, subject, merge_request_iid)).request);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_state_events',
      tag,
      summary: 'List the state events of a merge request',
      gate,
      params: oneRequest,
      paginated: true,
      answers: { 200: Type.Array(resourceEvents.StateEvent) },
      handle: async ({ subject, params, page }) =>
        resourceEvents.listResourceEvents(services, 'state', await found(subject, params), page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_state_events/:event_id',
      tag,
      summary: 'Get a state event of a merge request',
      gate,
      params: oneEvent,
      answers: { 200: resourceEvents.StateEvent },
      handle: async ({ subject, params }) =>
        resourceEvents.getResourceEvent(services, 'state', await found(subject, params), params.event_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_label_events',
      tag,
      summary: 'List the label events of a merge request',
      gate,
      params: oneRequest,
      paginated: true,
      answers: { 200: Type.Array(resourceEvents.LabelEvent) },
      handle: async ({ subject, params, page }) =>
        resourceEvents.listResourceEvents(services, 'label', await found(subject, params), page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_label_events/:event_id',
      tag,
      summary: 'Get a label event of a merge request',
      gate,
      params: oneEvent,
      answers: { 200: resourceEvents.LabelEvent },
      handle: async ({ subject, params }) =>
        resourceEvents.getResourceEvent(services, 'label', await found(subject, params), params.event_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_milestone_events',
      tag,
      summary: 'List the milestone events of a merge request',
      gate,
      params: oneRequest,
      paginated: true,
      answers: { 200: Type.Array(resourceEvents.MilestoneEvent) },
      handle: async ({ subject, params, page }) =>
        resourceEvents.listResourceEvents(services, 'milestone', await found(subject, params), page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/resource_milestone_events/:event_id',
      tag,
      summary: 'Get a milestone event of a merge request',
      gate,
      params: oneEvent,
      answers: { 200: resourceEvents.MilestoneEvent },
      handle: async ({ subject, params }) =>
        resourceEvents.getResourceEvent(services, 'milestone', await found(subject, params), params.event_id),
    }),
  ];
}
