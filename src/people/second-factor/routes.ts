import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { createUserGates } from '../users/public.ts';
import { numbered } from '../users/public.ts';
import { disableTwoFactor } from './service.ts';

/** Routes for administrators to help users who lost their second factor. */
export function secondFactorRoutes(services: Services, users: ReturnType<typeof createUserGates>): Route[] {
  return [
    route({
      method: 'PATCH',
      path: '/users/:id(^\\d+$)/disable_two_factor',
      tag: 'users',
      summary: 'Disable two-factor authentication for a user',
      gate: users.admin,
      params: numbered,
      responses: { 204: null },
      handle: ({ caller, subject }) => disableTwoFactor(services, caller.user, subject.id),
    }),
  ];
}
