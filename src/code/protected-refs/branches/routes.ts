import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { protectedRefParams } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'protected branches';

/** Protected branches of a project. */
export function projectBranchRoutes({ db }: Services, gates: Gates): Route[] {
  const read = gates.project('read_protected_branch');
  const admin = gates.project('admin_protected_branch', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/protected_branches',
      tag,
      summary: 'List protected branches of a project',
      gate: read,
      params: schema.branchFilter,
      paginated: true,
      responses: { 200: Type.Array(schema.ProtectedBranch) },
      handle: ({ subject, params, page }) => service.listBranchRules(db, subject, params.search, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/protected_branches',
      tag,
      summary: 'Protect a repository branch',
      gate: admin,
      params: schema.branchCreation,
      responses: { 201: schema.ProtectedBranch },
      handle: ({ subject, params }) => service.protectBranch(db, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/protected_branches/:name',
      tag,
      summary: 'Get a protected branch of a project',
      gate: read,
      params: protectedRefParams,
      responses: { 200: schema.ProtectedBranch },
      handle: ({ subject, params }) => service.getBranchRule(db, subject, params.name),
    }),
    route({
      method: 'PATCH',
      path: '/projects/:id/protected_branches/:name',
      tag,
      summary: 'Update a protected branch of a project',
      gate: admin,
      params: schema.branchChange,
      responses: { 200: schema.ProtectedBranch },
      handle: ({ caller, subject, params }) => service.updateBranchRule(db, caller, subject, params.name, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/protected_branches/:name',
      tag,
      summary: 'Unprotect a repository branch',
      gate: admin,
      params: protectedRefParams,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.unprotectBranch(db, caller, subject, params.name, (changedAt) => checkUnmodified(request, changedAt)),
    }),
  ];
}

/** Protected branches of a group, which apply to all of its projects. */
export function groupBranchRoutes({ db }: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_protected_branch', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/protected_branches',
      tag,
      summary: 'List protected branches of a group',
      gate,
      params: schema.branchFilter,
      paginated: true,
      responses: { 200: Type.Array(schema.GroupProtectedBranch) },
      handle: ({ subject, params, page }) => service.listBranchRules(db, subject, params.search, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/protected_branches',
      tag,
      summary: 'Protect a branch in a group',
      gate,
      params: schema.branchCreation,
      responses: { 201: schema.GroupProtectedBranch },
      handle: ({ subject, params }) => service.protectBranch(db, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/protected_branches/:name',
      tag,
      summary: 'Get a protected branch of a group',
      gate,
      params: protectedRefParams,
      responses: { 200: schema.GroupProtectedBranch },
      handle: ({ subject, params }) => service.getBranchRule(db, subject, params.name),
    }),
    route({
      method: 'PATCH',
      path: '/groups/:id/protected_branches/:name',
      tag,
      summary: 'Update a protected branch of a group',
      gate,
      params: schema.branchChange,
      responses: { 200: schema.GroupProtectedBranch },
      handle: ({ caller, subject, params }) => service.updateBranchRule(db, caller, subject, params.name, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/protected_branches/:name',
      tag,
      summary: 'Unprotect a branch in a group',
      gate,
      params: protectedRefParams,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.unprotectBranch(db, caller, subject, params.name, (changedAt) => checkUnmodified(request, changedAt)),
    }),
  ];
}
