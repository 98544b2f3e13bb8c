import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { atLeastOneOf, mutuallyExclusive } from '../../platform/http/params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'members';
const namingUsers = [mutuallyExclusive('user_id', 'username'), atLeastOneOf('user_id', 'username')];

export function memberRoutes(services: Services, gates: Gates): Route[] {
  return [...projectMemberRoutes(services, gates), ...groupMemberRoutes(services, gates)];
}

function projectMemberRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_member', { signedIn: true });
  const managing = gates.project('admin_member');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/members',
      tag,
      summary: 'List direct members of a project',
      gate: reading,
      params: schema.memberList,
      paginated: true,
      responses: { 200: Type.Array(schema.Member) },
      handle: ({ caller, subject, params, page }) => service.listMembers(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/members/all',
      tag,
      summary: 'List all members of a project',
      gate: reading,
      params: schema.allMemberList,
      paginated: true,
      responses: { 200: Type.Array(schema.Member) },
      handle: ({ caller, subject, params, page }) => service.listAllMembers(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/members/:user_id',
      tag,
      summary: 'Get a direct member of a project',
      gate: reading,
      params: schema.oneMember,
      responses: { 200: schema.Member },
      handle: ({ caller, subject, params }) => service.getMember(services, caller, subject, params.user_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/members/all/:user_id',
      tag,
      summary: 'Get a member of a project, including inherited members',
      gate: reading,
      params: schema.oneMember,
      responses: { 200: schema.Member },
      handle: ({ caller, subject, params }) => service.getMember(services, caller, subject, params.user_id, 'all'),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/members',
      tag,
      summary: 'Add a member to a project',
      gate: managing,
      params: schema.newMembers,
      rules: namingUsers,
      responses: { 201: schema.AddMembersResult },
      handle: ({ caller, subject, params }) => service.addMembers(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/members/:user_id',
      tag,
      summary: 'Update a member of a project',
      gate: managing,
      params: schema.memberChange,
      responses: { 200: schema.Member },
      handle: ({ caller, subject, params }) => service.updateMember(services, caller, subject, params.user_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/members/:user_id',
      tag,
      summary: 'Remove a member from a project',
      // Users may leave whatever their role.
      gate: reading,
      params: schema.memberRemoval,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.removeMember(services, caller, subject, params.user_id, params, request),
    }),
  ];
}

function groupMemberRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_member', { signedIn: true });
  const managing = gates.group('admin_member');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/members',
      tag,
      summary: 'List direct members of a group',
      gate: reading,
      params: schema.memberList,
      paginated: true,
      responses: { 200: Type.Array(schema.Member) },
      handle: ({ caller, subject, params, page }) => service.listMembers(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/members/all',
      tag,
      summary: 'List all members of a group',
      gate: reading,
      params: schema.allMemberList,
      paginated: true,
      responses: { 200: Type.Array(schema.Member) },
      handle: ({ caller, subject, params, page }) => service.listAllMembers(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/members/:user_id',
      tag,
      summary: 'Get a direct member of a group',
      gate: reading,
      params: schema.oneMember,
      responses: { 200: schema.Member },
      handle: ({ caller, subject, params }) => service.getMember(services, caller, subject, params.user_id),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/members/all/:user_id',
      tag,
      summary: 'Get a member of a group, including inherited members',
      gate: reading,
      params: schema.oneMember,
      responses: { 200: schema.Member },
      handle: ({ caller, subject, params }) => service.getMember(services, caller, subject, params.user_id, 'all'),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/members',
      tag,
      summary: 'Add a member to a group',
      gate: managing,
      params: schema.newMembers,
      rules: namingUsers,
      responses: { 201: schema.AddMembersResult },
      handle: ({ caller, subject, params }) => service.addMembers(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/members/:user_id',
      tag,
      summary: 'Update a member of a group',
      gate: managing,
      params: schema.memberChange,
      responses: { 200: schema.Member },
      handle: ({ caller, subject, params }) => service.updateMember(services, caller, subject, params.user_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/members/:user_id',
      tag,
      summary: 'Remove a member from a group',
      // Users may leave whatever their role.
      gate: reading,
      params: schema.memberRemoval,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.removeMember(services, caller, subject, params.user_id, params, request),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/members/:user_id/override',
      tag,
      summary: 'Override the LDAP access level of a group member',
      gate: managing,
      params: schema.oneMember,
      responses: { 201: schema.Member },
      handle: ({ caller, subject, params }) => service.overrideMember(services, caller, subject, params.user_id, true),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/members/:user_id/override',
      tag,
      summary: 'Remove the LDAP override of a group member',
      gate: managing,
      params: schema.oneMember,
      responses: { 200: schema.Member },
      handle: ({ caller, subject, params }) => service.overrideMember(services, caller, subject, params.user_id, false),
    }),
  ];
}
