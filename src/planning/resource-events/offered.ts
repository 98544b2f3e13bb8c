/**
 * What an area needs for routes that show what is on record of its things: answers, the parameter, and what is done. An
 * area finds the thing as the caller may read it and hands on its target, with the kind of events that the path names:
 * `resourceEvents.listResourceEvents(services, 'label', target, page)`.
 */
export { eventId, LabelEvent, MilestoneEvent, StateEvent, WeightEvent } from './schema.ts';
export { getResourceEvent, listResourceEvents } from './service.ts';
