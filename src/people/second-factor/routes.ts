import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { createUserGates } from '../users/public.ts';
import { numbered } from '../users/public.ts';
import { disableTwoFactor } from './service.ts';

/** What administrators do for somebody whose app is lost. */
export function secondFactorRoutes(services: Services, users: ReturnType<typeof createUserGates>): Route[] {
  return [
    route({
      method: 'PATCH',
      path: '/users/:id(^\\d+$)/disable_two_factor',
      tag: 'users',
      summary: 'Switch the second factor of a user off',
      gate: users.admin,
      params: numbered,
      responses: { 204: null },
      handle: ({ caller, subject }) => disableTwoFactor(services, caller.user, subject.id),
    }),
  ];
}
