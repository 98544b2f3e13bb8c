import Type from 'typebox';
import type { SignedInActor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { exactlyOneOf } from '../../platform/http/params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'ldap_group_links';

/** `/groups/:id/ldap_group_links`: LDAP groups and filters whose matches get a role in the group. */
export function ldapGroupLinkRoutes(services: Services, gates: Gates): Route[] {
  const managing = gates.group('admin_ldap_group_link');
  const asManager = async <T>(caller: SignedInActor, work: () => Promise<T>): Promise<T> => {
    await service.checkManager(services, caller);
    return work();
  };
  return [
    route({
      method: 'GET',
      path: '/groups/:id/ldap_group_links',
      tag,
      summary: 'List LDAP group links',
      gate: managing,
      params: schema.owner,
      responses: { 200: Type.Array(schema.LdapGroupLink) },
      handle: ({ caller, subject }) => asManager(caller, () => service.listLinks(services, subject)),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/ldap_group_links',
      tag,
      summary: 'Create an LDAP group link',
      gate: managing,
      params: schema.newLink,
      rules: [exactlyOneOf('cn', 'filter')],
      responses: { 201: schema.LdapGroupLink },
      handle: ({ caller, subject, params }) => asManager(caller, () => service.addLink(services, subject, params)),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/ldap_group_links',
      tag,
      summary: 'Delete an LDAP group link',
      gate: managing,
      params: schema.oneLink,
      rules: [exactlyOneOf('cn', 'filter')],
      responses: { 204: null },
      handle: ({ caller, subject, params }) => asManager(caller, () => service.removeLink(services, subject, params)),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/ldap_group_links/:cn',
      tag,
      summary: 'Delete LDAP group links by CN (deprecated)',
      gate: managing,
      params: schema.byCn,
      responses: { 204: null },
      handle: ({ caller, subject, params: { cn } }) =>
        asManager(caller, () => service.removeLink(services, subject, { cn })),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/ldap_group_links/:provider/:cn',
      tag,
      summary: 'Delete an LDAP group link by provider and CN (deprecated)',
      gate: managing,
      params: schema.byProvider,
      responses: { 204: null },
      handle: ({ caller, subject, params: { cn, provider } }) =>
        asManager(caller, () => service.removeLink(services, subject, { cn, provider })),
    }),
  ];
}
