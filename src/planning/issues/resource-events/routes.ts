import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { resourceEvents } from '../../resource-events/public.ts';
import { targetOf } from '../changes/records.ts';
import { oneIssue } from '../schema.ts';
import { readableIssue } from '../service.ts';

const tag = 'resource-events';
const oneEvent = { ...oneIssue, ...resourceEvents.eventId };

/** What is on record of an issue beside its notes. */
export function issueEventRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_issue', { signedIn: true });
  const found = async (caller: SignedInActor, subject: ProjectSubject, { issue_iid }: { issue_iid: number }) =>
    targetOf((await readableIssue(services, caller, subject, issue_iid)).issue);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_state_events',
      tag,
      summary: 'List the state events of an issue',
      gate,
      params: oneIssue,
      paginated: true,
      answers: { 200: Type.Array(resourceEvents.StateEvent) },
      handle: async ({ caller, subject, params, page }) =>
        resourceEvents.listResourceEvents(services, 'state', await found(caller, subject, params), page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_state_events/:event_id',
      tag,
      summary: 'Get a state event of an issue',
      gate,
      params: oneEvent,
      answers: { 200: resourceEvents.StateEvent },
      handle: async ({ caller, subject, params }) =>
        resourceEvents.getResourceEvent(services, 'state', await found(caller, subject, params), params.event_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_label_events',
      tag,
      summary: 'List the label events of an issue',
      gate,
      params: oneIssue,
      paginated: true,
      answers: { 200: Type.Array(resourceEvents.LabelEvent) },
      handle: async ({ caller, subject, params, page }) =>
        resourceEvents.listResourceEvents(services, 'label', await found(caller, subject, params), page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_label_events/:event_id',
      tag,
      summary: 'Get a label event of an issue',
      gate,
      params: oneEvent,
      answers: { 200: resourceEvents.LabelEvent },
      handle: async ({ caller, subject, params }) =>
        resourceEvents.getResourceEvent(services, 'label', await found(caller, subject, params), params.event_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_milestone_events',
      tag,
      summary: 'List the milestone events of an issue',
      gate,
      params: oneIssue,
      paginated: true,
      answers: { 200: Type.Array(resourceEvents.MilestoneEvent) },
      handle: async ({ caller, subject, params, page }) =>
        resourceEvents.listResourceEvents(services, 'milestone', await found(caller, subject, params), page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_milestone_events/:event_id',
      tag,
      summary: 'Get a milestone event of an issue',
      gate,
      params: oneEvent,
      answers: { 200: resourceEvents.MilestoneEvent },
      handle: async ({ caller, subject, params }) =>
        resourceEvents.getResourceEvent(services, 'milestone', await found(caller, subject, params), params.event_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_weight_events',
      tag,
      summary: 'List the weight events of an issue',
      gate,
      params: oneIssue,
      paginated: true,
      answers: { 200: Type.Array(resourceEvents.WeightEvent) },
      handle: async ({ caller, subject, params, page }) =>
        resourceEvents.listResourceEvents(services, 'weight', await found(caller, subject, params), page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/resource_weight_events/:event_id',
      tag,
      summary: 'Get a weight event of an issue',
      gate,
      params: oneEvent,
      answers: { 200: resourceEvents.WeightEvent },
      handle: async ({ caller, subject, params }) =>
        resourceEvents.getResourceEvent(services, 'weight', await found(caller, subject, params), params.event_id),
    }),
  ];
}
