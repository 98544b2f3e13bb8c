import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Message } from '../../platform/http/schema.ts';
import { pushGate, repositoryGate, signedInRepositoryGate } from '../repository/public.ts';
import { enqueueDeleteMerged } from './delete-merged.ts';
import { protectLegacy, unprotectLegacy } from './legacy-protection.ts';
import { listBranches } from './list.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'branches';

/** `/projects/:id/repository/branches`. */
export function branchRoutes(services: Services, gates: Gates): Route[] {
  const read = repositoryGate(gates, 'read_code', { hidden: true });
  const push = pushGate(gates, { hidden: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/branches',
      tag,
      summary: 'List branches',
      gate: read,
      params: schema.listing,
      rules: schema.listingRules,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(schema.Branch) },
      handle: ({ caller, subject, params, page }) => listBranches(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/branches/:branch',
      tag,
      summary: 'Get a branch',
      gate: read,
      params: schema.named,
      responses: { 200: schema.Branch, 204: null },
      handle: async ({ caller, subject, params, request, reply }) => {
        const ref = await service.requireBranch(services, subject, params.branch);
        if (request.method !== 'HEAD') return service.presentBranch(services, caller, subject, ref);
        return reply.code(204).send();
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/branches',
      tag,
      summary: 'Create a branch',
      gate: push,
      params: schema.creation,
      responses: { 201: schema.Branch },
      handle: ({ caller, subject, params }) => service.createBranch(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/repository/branches/:branch',
      tag,
      summary: 'Delete a branch',
      gate: push,
      params: schema.named,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteBranch(services, caller, subject, params.branch, request),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/repository/merged_branches',
      tag,
      summary: 'Delete merged branches',
      gate: push,
      params: schema.project,
      responses: { 202: Message },
      handle: async ({ caller, subject }) => {
        await enqueueDeleteMerged(services, caller, subject);
        return { message: '202 Accepted' };
      },
    }),
    ...legacyProtection(services, gates),
  ];
}

function legacyProtection(services: Services, gates: Gates): Route[] {
  const gate = signedInRepositoryGate(gates, 'admin_protected_branch', { hidden: true });
  return [
    route({
      method: 'PUT',
      path: '/projects/:id/repository/branches/:branch/protect',
      tag,
      summary: 'Protect a branch (deprecated)',
      gate,
      params: schema.protection,
      responses: { 200: schema.Branch },
      handle: async ({ caller, subject, params }) => {
        const ref = await service.requireBranch(services, subject, params.branch);
        await protectLegacy(services.db, caller, subject, ref.name, params);
        return service.presentBranch(services, caller, subject, ref);
      },
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/repository/branches/:branch/unprotect',
      tag,
      summary: 'Unprotect a branch (deprecated)',
      gate,
      params: schema.named,
      responses: { 200: schema.Branch },
      handle: async ({ caller, subject, params }) => {
        const ref = await service.requireBranch(services, subject, params.branch);
        await unprotectLegacy(services.db, caller, subject, ref.name);
        return service.presentBranch(services, caller, subject, ref);
      },
    }),
  ];
}
