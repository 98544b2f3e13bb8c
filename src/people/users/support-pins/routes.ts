import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { createUserGates } from '../gates.ts';
import { numbered } from '../schema.ts';
import { SupportPin } from './schema.ts';
import { createPin, getPin, revokePin } from './service.ts';

const tag = 'users';

/** `support_pin`: lets a user prove ownership of an account to administrators. */
export function supportPinRoutes(services: Services, gates: Gates, users: ReturnType<typeof createUserGates>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/user/support_pin',
      tag,
      summary: 'Create a support PIN for the current user',
      gate: gates.signedIn,
      params: {},
      responses: { 201: SupportPin },
      handle: ({ subject }) => createPin(services, subject.id),
    }),
    route({
      method: 'GET',
      path: '/user/support_pin',
      tag,
      summary: 'Get the support PIN of the current user',
      gate: gates.signedIn,
      params: {},
      responses: { 200: SupportPin },
      handle: ({ subject }) => getPin(services, subject.id),
    }),
    route({
      method: 'GET',
      path: '/users/:id/support_pin',
      tag,
      summary: 'Get the support PIN of a user',
      gate: users.admin,
      params: numbered,
      responses: { 200: SupportPin },
      handle: ({ subject }) => getPin(services, subject.id),
    }),
    route({
      method: 'POST',
      path: '/users/:id/support_pin/revoke',
      tag,
      summary: 'Revoke the support PIN of a user',
      gate: users.admin,
      params: numbered,
      responses: { 204: null },
      handle: ({ subject }) => revokePin(services, subject.id),
    }),
  ];
}
