import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { allOrNoneOf, atLeastOneOf } from '../../../platform/http/params.ts';
import type { UserGates } from '../gates.ts';
import { AdminUser } from '../profiles/schema.ts';
import { getUserForAdmin } from '../profiles/service.ts';
import { change, creation } from './schema.ts';
import { createUserAsAdmin, updateUser } from './service.ts';

const tag = 'users';
const identity = allOrNoneOf('extern_uid', 'provider');

/** Routes for administrators to create and update users. */
export function accountRoutes(services: Services, gates: Gates, users: UserGates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/users',
      tag,
      summary: 'Create a user',
      gate: gates.admin,
      params: creation,
      rules: [atLeastOneOf('password', 'reset_password', 'force_random_password'), identity],
      responses: { 201: AdminUser },
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
      responses: { 200: AdminUser },
      handle: async ({ caller, subject, params }) => {
        await updateUser(services, caller.user, subject, params);
        return getUserForAdmin(services, caller, subject.id);
      },
    }),
  ];
}
