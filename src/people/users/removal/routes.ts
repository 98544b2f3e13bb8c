import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, withDefault } from '../../../platform/http/params.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { Message } from '../../../platform/http/schema.ts';
import type { UserGates } from '../gates.ts';
import { numbered } from '../schema.ts';
import { deleteUser, rejectUser } from './service.ts';

const tag = 'users';

export function removalRoutes(services: Services, users: UserGates): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/users/:id(^\\d+$)',
      tag,
      summary: 'Delete a user',
      gate: users.admin,
      params: { ...numbered, hard_delete: withDefault(param.boolean(), false) },
      responses: { 204: null },
      handle: ({ subject, params, request }) => {
        checkUnmodified(request, subject.updated_at);
        return deleteUser(services, subject, params.hard_delete);
      },
    }),
    route({
      method: 'POST',
      path: '/users/:id(^\\d+$)/reject',
      tag,
      summary: 'Reject a user pending approval',
      gate: users.admin,
      params: numbered,
      responses: { 200: Message },
      handle: async ({ subject }) => {
        await rejectUser(services, subject);
        return { message: 'Success' };
      },
    }),
  ];
}
