import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { named } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'protected branches';

/** The rules over the branches of a project. */
export function projectBranchRoutes({ db }: Services, gates: Gates): Route[] {
  const read = gates.project('read_code');
  const admin = gates.project('admin_protected_ref', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/protected_branches',
      tag,
      summary: 'List protected branches',
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
      summary: 'Protect branches',
      gate: admin,
      params: schema.branchCreation,
      responses: { 201: schema.ProtectedBranch },
      handle: ({ subject, params }) => service.protectBranch(db, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/protected_branches/:name',
      tag,
      summary: 'Get a protected branch',
      gate: read,
      params: named,
      responses: { 200: schema.ProtectedBranch },
      handle: ({ subject, params }) => service.getBranchRule(db, subject, params.name),
    }),
    route({
      method: 'PATCH',
      path: '/projects/:id/protected_branches/:name',
      tag,
      summary: 'Update a protected branch',
      gate: admin,
      params: schema.branchChange,
      responses: { 200: schema.ProtectedBranch },
      handle: ({ caller, subject, params }) => service.updateBranchRule(db, caller, subject, params.name, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/protected_branches/:name',
      tag,
      summary: 'Unprotect branches',
      gate: admin,
      params: named,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.unprotectBranch(db, caller, subject, params.name, (changedAt) => checkUnmodified(request, changedAt)),
    }),
  ];
}

/** The rules over the branches of every project in a group. */
export function groupBranchRoutes({ db }: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_group', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/protected_branches',
      tag,
      summary: 'List protected branches',
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
      summary: 'Protect branches',
      gate,
      params: schema.branchCreation,
      responses: { 201: schema.GroupProtectedBranch },
      handle: ({ subject, params }) => service.protectBranch(db, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/protected_branches/:name',
      tag,
      summary: 'Get a protected branch',
      gate,
      params: named,
      responses: { 200: schema.GroupProtectedBranch },
      handle: ({ subject, params }) => service.getBranchRule(db, subject, params.name),
    }),
    route({
      method: 'PATCH',
      path: '/groups/:id/protected_branches/:name',
      tag,
      summary: 'Update a protected branch',
      gate,
      params: schema.branchChange,
      responses: { 200: schema.GroupProtectedBranch },
      handle: ({ caller, subject, params }) => service.updateBranchRule(db, caller, subject, params.name, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/protected_branches/:name',
      tag,
      summary: 'Unprotect branches',
      gate,
      params: named,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.unprotectBranch(db, caller, subject, params.name, (changedAt) => checkUnmodified(request, changedAt)),
    }),
  ];
}
