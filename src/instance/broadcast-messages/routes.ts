import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { BroadcastMessage, messageChangeParams, messageParam, newMessageParams } from './schema.ts';
import * as messages from './service.ts';

const tag = 'broadcast_messages';

export function broadcastMessageRoutes(services: Services, { admin, anyone }: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/broadcast_messages',
      tag,
      summary: 'List broadcast messages',
      gate: anyone,
      params: {},
      paginated: true,
      responses: { 200: Type.Array(BroadcastMessage) },
      handle: ({ page }) => messages.listMessages(services, page),
    }),
    route({
      method: 'GET',
      path: '/broadcast_messages/:id',
      tag,
      summary: 'Get a broadcast message',
      gate: anyone,
      params: messageParam,
      responses: { 200: BroadcastMessage },
      handle: ({ params }) => messages.getMessage(services, params.id),
    }),
    route({
      method: 'POST',
      path: '/broadcast_messages',
      tag,
      summary: 'Create a broadcast message',
      gate: admin,
      params: newMessageParams,
      responses: { 201: BroadcastMessage },
      handle: ({ subject, params }) => messages.createMessage(services, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/broadcast_messages/:id',
      tag,
      summary: 'Update a broadcast message',
      gate: admin,
      params: messageChangeParams,
      responses: { 200: BroadcastMessage },
      handle: ({ subject, params: { id, ...change } }) => messages.updateMessage(services, subject, id, change),
    }),
    route({
      method: 'DELETE',
      path: '/broadcast_messages/:id',
      tag,
      summary: 'Delete a broadcast message',
      gate: admin,
      params: messageParam,
      responses: { 204: null },
      handle: ({ subject, params }) => messages.deleteMessage(services, subject, params.id),
    }),
  ];
}
