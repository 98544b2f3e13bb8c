import Type, { type TSchema } from 'typebox';
import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { Call } from '../../platform/http/endpoint.ts';
import type { ParamMap, ParamsOf } from '../../platform/http/params.ts';
import type { OperationsTarget } from '../operations-target.ts';
import type { Target } from '../target.ts';
import { type EventKind, eventId, LabelEvent, MilestoneEvent, StateEvent, WeightEvent } from './schema.ts';
import { getResourceEvent, listResourceEvents } from './service.ts';

/** The resource event operations of an item, by kind. Its routes add only method and path. */
export function eventOperations<M extends ParamMap, Subject>(
  services: Services,
  recorded: OperationsTarget<M, Subject, Target>,
) {
  const { what, gate, params, found } = recorded;
  type Asked<More = unknown> = Call<SignedInActor, ParamsOf<M> & More, Subject>;
  const target = ({ caller, subject, params }: Asked) => found(caller, subject, params);
  const common = { tag: 'resource-events', gate };
  const of = <Entity extends TSchema>(kind: EventKind, event: Entity) => ({
    list: {
      ...common,
      summary: `List ${kind} events of ${what}`,
      params,
      paginated: true,
      responses: { 200: Type.Array(event) },
      handle: async (call: Asked) => listResourceEvents(services, kind, await target(call), call.page),
    },
    get: {
      ...common,
      summary: `Get a ${kind} event of ${what}`,
      params: { ...params, ...eventId },
      responses: { 200: event },
      handle: async (call: Asked<{ readonly event_id: number }>) =>
        getResourceEvent(services, kind, await target(call), call.params.event_id),
    },
  });
  return {
    label: of('label', LabelEvent),
    milestone: of('milestone', MilestoneEvent),
    state: of('state', StateEvent),
    weight: of('weight', WeightEvent),
  };
}
