import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { MergeRef } from '../merge/schema.ts';
import { oneRequest } from '../schema.ts';
import { resolveConflicts } from './resolve.ts';
import * as schema from './schema.ts';
import { getConflicts } from './service.ts';

const tag = 'merge_requests';

/** Routes for showing and resolving merge conflicts, for users who may push to the source branch. */
export function conflictRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/conflicts',
      tag,
      summary: 'Get conflicts of a merge request',
      gate,
      params: oneRequest,
      responses: { 200: schema.Conflicts },
      handle: ({ caller, subject, params }) => getConflicts(services, caller, subject, params.merge_request_iid),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/resolve_conflicts',
      tag,
      summary: 'Resolve conflicts of a merge request',
      gate,
      params: schema.resolve,
      responses: { 201: MergeRef },
      handle: ({ caller, subject, params }) => resolveConflicts(services, caller, subject, params),
    }),
  ];
}
