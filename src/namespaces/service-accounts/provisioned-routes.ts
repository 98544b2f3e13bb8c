import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { OwnUser, provisionedList, provisionedUsers } from '../../people/users/public.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { home } from './schema.ts';

const tag = 'service accounts';
const params = { ...home, ...provisionedList.params };

/** Users provisioned by a group. There is no group SAML, so these are its service accounts. */
export function provisionedRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('read_provisioned_user', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/provisioned_users',
      tag,
      summary: 'List provisioned users of a group',
      gate,
      params,
      paginated: true,
      responses: { 200: Type.Array(OwnUser) },
      handle: ({ caller, subject, params: { id: _, ...filters }, page }) =>
        provisionedUsers(services, caller, subject.group.id, filters, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/saml_users',
      tag,
      summary: 'List SAML users of a group (always empty)',
      gate,
      params,
      paginated: true,
      responses: { 200: Type.Array(OwnUser) },
      handle: () => new Page([], 0),
    }),
  ];
}
