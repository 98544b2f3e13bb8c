import Type from 'typebox';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Message, nullable } from '../../../platform/http/schema.ts';
import type { UserGates } from '../gates.ts';
import { numbered } from '../schema.ts';
import { changeState } from './service.ts';

const tag = 'users';

/** Routes for administrators to change the state of accounts. */
export function stateRoutes(services: Services, users: UserGates): Route[] {
  const change = { gate: users.admin, params: numbered, responses: { 201: nullable(Type.Boolean()) } };
  return [
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/block',
      tag,
      summary: 'Block a user',
      ...change,
      handle: ({ caller, subject }) => changeState(services, caller.user, subject.id, 'block'),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/unblock',
      tag,
      summary: 'Unblock a user',
      ...change,
      handle: ({ caller, subject }) => changeState(services, caller.user, subject.id, 'unblock'),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/activate',
      tag,
      summary: 'Activate a user',
      ...change,
      handle: ({ caller, subject }) => changeState(services, caller.user, subject.id, 'activate'),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/deactivate',
      tag,
      summary: 'Deactivate a user',
      ...change,
      handle: ({ caller, subject }) => changeState(services, caller.user, subject.id, 'deactivate'),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/ban',
      tag,
      summary: 'Ban a user',
      ...change,
      handle: ({ caller, subject }) => changeState(services, caller.user, subject.id, 'ban'),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/unban',
      tag,
      summary: 'Unban a user',
      ...change,
      handle: ({ caller, subject }) => changeState(services, caller.user, subject.id, 'unban'),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/approve',
      tag,
      summary: 'Approve a user',
      gate: users.admin,
      params: numbered,
      responses: { 201: Message },
      handle: async ({ caller, subject }) => {
        await changeState(services, caller.user, subject.id, 'approve');
        return { message: 'Success' };
      },
    }),
  ];
}
