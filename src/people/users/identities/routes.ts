import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { param, required } from '../../../platform/http/params.ts';
import type { UserGates } from '../gates.ts';
import { numbered } from '../schema.ts';
import { deleteIdentity } from './store.ts';

const tag = 'users';

export function identityRoutes(services: Services, users: UserGates): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/users/:id(^\\d+$)/identities/:provider',
      tag,
      summary: 'Delete an identity of a user',
      gate: users.admin,
      params: { ...numbered, provider: required(param.string()) },
      responses: { 204: null },
      handle: async ({ subject, params, caller }) => {
        const found = await services.db.write((trx) =>
          deleteIdentity(services, trx, subject.id, params.provider, caller.user),
        );
        if (!found) throw new NotFound('Identity');
      },
    }),
  ];
}
