import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { param, required } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';
import { listDirectoryGroups, scheduleSync } from './service.ts';

const tag = 'ldap';
const DirectoryGroup = entity('LdapGroup', { cn: Type.String() });
const searching = { search: param.string({ description: 'Prefix of the group names' }) };

export function ldapSyncRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/groups/:id/ldap_sync',
      tag,
      summary: 'Synchronize a group with LDAP',
      gate: gates.group('admin_ldap_group_link'),
      params: { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) },
      responses: { 202: Type.Integer() },
      handle: ({ subject }) => scheduleSync(services, subject),
    }),
    route({
      method: 'GET',
      path: '/ldap/groups',
      tag,
      summary: 'List LDAP groups',
      gate: gates.admin,
      params: searching,
      responses: { 200: Type.Array(DirectoryGroup) },
      handle: ({ params }) => listDirectoryGroups(services, params.search),
    }),
    route({
      method: 'GET',
      path: '/ldap/:provider/groups',
      tag,
      summary: 'List LDAP groups of a provider',
      gate: gates.admin,
      params: { ...searching, provider: required(param.string()) },
      responses: { 200: Type.Array(DirectoryGroup) },
      handle: ({ params }) => listDirectoryGroups(services, params.search, params.provider),
    }),
  ];
}
