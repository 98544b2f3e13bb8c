import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'member_roles';

export function memberRoleRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...instanceRoleRoutes(services, gates),
    ...groupRoleRoutes(services, gates),
    ...assignableRoleRoutes(services, gates),
  ];
}

function instanceRoleRoutes(services: Services, { admin }: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/member_roles',
      tag,
      summary: 'List the custom roles of the instance',
      gate: admin,
      params: {},
      paginated: true,
      responses: { 200: Type.Array(schema.MemberRole) },
      handle: ({ page }) => service.listRoles(services, undefined, page),
    }),
    route({
      method: 'POST',
      path: '/member_roles',
      tag,
      summary: 'Create a custom role of the instance',
      gate: admin,
      params: schema.newRole,
      responses: { 201: schema.MemberRole },
      handle: ({ caller, params }) => service.createRole(services, caller, undefined, params),
    }),
    route({
      method: 'DELETE',
      path: '/member_roles/:member_role_id',
      tag,
      summary: 'Delete a custom role of the instance',
      gate: admin,
      params: schema.oneRole,
      responses: { 204: null },
      handle: ({ caller, params }) => service.deleteRole(services, caller, undefined, params.member_role_id),
    }),
  ];
}

function groupRoleRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_member_role');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/member_roles',
      tag,
      summary: 'List the custom roles of a group',
      gate,
      params: schema.rolesOfGroup,
      paginated: true,
      responses: { 200: Type.Array(schema.MemberRole) },
      handle: ({ subject, page }) => service.listRoles(services, subject.group, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/member_roles',
      tag,
      summary: 'Create a custom role of a top-level group',
      gate,
      params: schema.newRoleOfGroup,
      responses: { 201: schema.MemberRole },
      handle: ({ caller, subject, params }) => service.createRole(services, caller, subject.group, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/member_roles/:member_role_id',
      tag,
      summary: 'Delete a custom role of a group',
      gate,
      params: schema.oneRoleOfGroup,
      responses: { 204: null },
      handle: ({ caller, subject, params }) =>
        service.deleteRole(services, caller, subject.group, params.member_role_id),
    }),
  ];
}

/** What a form for members offers; without GitLab's counterpart, where only administrators and owners list roles. */
function assignableRoleRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/groups/:id/assignable_member_roles',
      tag,
      summary: 'List the custom roles that members of a group can have',
      gate: gates.group('admin_member', { signedIn: true }),
      params: schema.rolesOfGroup,
      paginated: true,
      responses: { 200: Type.Array(schema.MemberRole) },
      handle: ({ subject, page }) => service.listAssignableRoles(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/assignable_member_roles',
      tag,
      summary: 'List the custom roles that members of a project can have',
      gate: gates.project('admin_member', { signedIn: true }),
      params: schema.rolesOfProject,
      paginated: true,
      responses: { 200: Type.Array(schema.MemberRole) },
      handle: ({ subject, page }) => service.listAssignableRoles(services, subject, page),
    }),
  ];
}
