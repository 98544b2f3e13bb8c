import Type, { type TSchema } from 'typebox';
import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { Call, Gate } from '../../../platform/http/endpoint.ts';
import { type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { Message } from '../../../platform/http/schema.ts';
import { eventFilter, oneEvent, Resent, WebhookEvent } from '../deliveries/schema.ts';
import { listEvents, resendEvent } from '../deliveries/service.ts';
import { triedEvents } from '../events.ts';
import { testHook } from '../test-deliveries/service.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const { hooks, hook, secret, secretValue } = schema.places;
const filtered = { ...hook, ...eventFilter };
const delivered = { ...hook, ...oneEvent };
const tried = { ...hook, trigger: required(param.oneOf(triedEvents)) };

/** The owner of webhooks: its gate and its entity. */
interface Hooked<Owner> {
  /** Noun for summaries, such as 'project'. */
  readonly what: string;
  readonly gate: Gate<Actor, Owner, SignedInActor>;
  readonly entity: TSchema;
}

/** Operations on the webhooks of a place; its routes add only method and path. */
export function hookOperations<Owner extends ProjectOrGroup>(
  services: Services,
  { what, gate, entity }: Hooked<Owner>,
) {
  type Requested<Params = unknown> = Call<SignedInActor, Params, Owner>;
  type OfHook<More = unknown> = Requested<{ readonly hook_id: number } & More>;
  const common = { tag: 'webhooks', gate };
  return {
    list: {
      ...common,
      summary: `List ${what} webhooks`,
      params: hooks,
      paginated: true,
      responses: { 200: Type.Array(entity) },
      handle: ({ subject, page }: Requested) => service.listHooks(services, subject, page),
    },
    add: {
      ...common,
      summary: `Create a ${what} webhook`,
      responses: { 201: entity },
      handle: ({ subject, params }: Requested<schema.NewHook>) => service.createHook(services, subject, params),
    },
    get: {
      ...common,
      summary: `Get a ${what} webhook`,
      params: hook,
      responses: { 200: entity },
      handle: ({ subject, params }: OfHook) => service.getHook(services, subject, params.hook_id),
    },
    change: {
      ...common,
      summary: `Update a ${what} webhook`,
      responses: { 200: entity },
      handle: ({ subject, params }: OfHook<schema.HookChange>) =>
        service.updateHook(services, subject, params.hook_id, params),
    },
    remove: {
      ...common,
      summary: `Delete a ${what} webhook`,
      params: hook,
      responses: { 204: null },
      handle: ({ subject, params, request }: OfHook) => service.deleteHook(services, subject, params.hook_id, request),
    },
    setVariable: {
      ...common,
      summary: 'Set a webhook URL variable',
      params: secretValue,
      responses: { 204: null },
      handle: ({ subject, params }: Requested<ParamsOf<typeof secretValue>>) =>
        service.changeVariable(services, subject, params),
    },
    removeVariable: {
      ...common,
      summary: 'Delete a webhook URL variable',
      params: secret,
      responses: { 204: null },
      handle: ({ subject, params }: Requested<ParamsOf<typeof secret>>) =>
        service.changeVariable(services, subject, params),
    },
    setHeader: {
      ...common,
      summary: 'Set a webhook custom header',
      params: secretValue,
      responses: { 204: null },
      handle: ({ subject, params }: Requested<ParamsOf<typeof secretValue>>) =>
        service.changeHeader(services, subject, params),
    },
    removeHeader: {
      ...common,
      summary: 'Delete a webhook custom header',
      params: secret,
      responses: { 204: null },
      handle: ({ subject, params }: Requested<ParamsOf<typeof secret>>) =>
        service.changeHeader(services, subject, params),
    },
    listEvents: {
      ...common,
      summary: 'List recent webhook events',
      params: filtered,
      paginated: true,
      responses: { 200: Type.Array(WebhookEvent) },
      handle: ({ subject, params, page }: Requested<ParamsOf<typeof filtered>>) =>
        listEvents(services, subject, params, page),
    },
    resend: {
      ...common,
      summary: 'Resend a webhook event',
      params: delivered,
      responses: { 201: Resent },
      handle: ({ caller, subject, params }: Requested<ParamsOf<typeof delivered>>) =>
        resendEvent(services, caller, subject, params),
    },
    try: {
      ...common,
      summary: 'Test a webhook',
      params: tried,
      responses: { 201: Message },
      handle: ({ caller, subject, params }: Requested<ParamsOf<typeof tried>>) =>
        testHook(services, caller, subject, params),
    },
  };
}
