import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { allOrNoneOf, atLeastOneOf, param, required, withDefault } from '../../platform/http/params.ts';
import { checkUnmodified } from '../../platform/http/precondition.ts';
import { Message, nullable } from '../../platform/http/schema.ts';
import { applyStateChange, disableTwoFactor } from './change-state.ts';
import { createUserAsAdmin } from './create.ts';
import { deleteUser, rejectUser } from './delete.ts';
import type { UserGates } from './gates.ts';
import { deleteIdentity } from './identities.ts';
import { change, creation, numbered } from './params.ts';
import { getUserForAdmin } from './read.ts';
import { AdminUser } from './schema.ts';
import type { StateChange } from './states.ts';
import { updateUser } from './update.ts';

const tag = 'users';
const identity = allOrNoneOf('extern_uid', 'provider');
const success = { message: 'Success' };

/** What administrators do to accounts. */
export function accountRoutes(services: Services, gates: Gates, users: UserGates): Route[] {
  const { db } = services;
  return [
    route({
      method: 'POST',
      path: '/users',
      tag,
      summary: 'Create a user',
      gate: gates.admin,
      params: creation,
      rules: [atLeastOneOf('password', 'reset_password', 'force_random_password'), identity],
      answers: { 201: AdminUser },
      handle: async ({ caller, subject, params }) => {
        const user = await createUserAsAdmin(services, params, subject.id);
        return getUserForAdmin(services, caller, user.id);
      },
    }),
    route({
      method: 'PUT',
      path: '/users/:id(^\\d+$)',
      tag,
      summary: 'Update a user',
      gate: users.admin,
      params: change,
      rules: [identity],
      answers: { 200: AdminUser },
      handle: async ({ caller, subject, params }) => {
        await updateUser(services, caller.user as User, subject, params);
        return getUserForAdmin(services, caller, subject.id);
      },
    }),
    route({
      method: 'DELETE',
      path: '/users/:id(^\\d+$)',
      tag,
      summary: 'Delete a user',
      gate: users.admin,
      params: { ...numbered, hard_delete: withDefault(param.boolean(), false) },
      answers: { 204: null },
      handle: ({ subject, params, request }) => {
        checkUnmodified(request, subject.updated_at);
        return deleteUser(services, subject, params.hard_delete);
      },
    }),
    route({
      method: 'DELETE',
      path: '/users/:id(^\\d+$)/identities/:provider',
      tag,
      summary: 'Take the identity at a provider away from a user',
      gate: users.admin,
      params: { ...numbered, provider: required(param.string()) },
      answers: { 204: null },
      handle: async ({ subject, params }) => {
        const found = await db.write((trx) => deleteIdentity(trx, subject.id, params.provider));
        if (!found) throw new NotFound('Identity');
      },
    }),
    route({
      method: 'PATCH',
      path: '/users/:id(^\\d+$)/disable_two_factor',
      tag,
      summary: 'Switch the second factor of a user off',
      gate: users.admin,
      params: numbered,
      answers: { 204: null },
      handle: ({ subject }) => disableTwoFactor(db, subject),
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/approve',
      tag,
      summary: 'Let a user in who waits for approval',
      gate: users.admin,
      params: numbered,
      answers: { 201: Message },
      handle: async ({ caller, subject }) => {
        await applyStateChange(services, caller.user as User, subject.id, 'approve');
        return success;
      },
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/reject',
      tag,
      summary: 'Turn a user away who waits for approval, and remove them',
      gate: users.admin,
      params: numbered,
      answers: { 200: Message },
      handle: async ({ subject }) => {
        await rejectUser(services, subject);
        return success;
      },
    }),
    ...stateRoutes(services, users),
  ];
}

const states: readonly (readonly [StateChange, string])[] = [
  ['block', 'Block a user'],
  ['unblock', 'Unblock a user'],
  ['activate', 'Wake a deactivated user'],
  ['deactivate', 'Put a user to sleep who has not been here for long'],
  ['ban', 'Ban a user'],
  ['unban', 'Lift the ban on a user'],
];

function stateRoutes(services: Services, users: UserGates): Route[] {
  return states.map(([verb, summary]) =>
    route({
      method: 'POST',
      path: `/users/:id(^\\d+$)/${verb}`,
      tag,
      summary,
      gate: users.admin,
      params: numbered,
      answers: { 201: nullable(Type.Boolean()) },
      handle: ({ caller, subject }) => applyStateChange(services, caller.user as User, subject.id, verb),
    }),
  );
}
