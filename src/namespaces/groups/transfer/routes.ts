import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { GroupDetail } from '../detail/schema.ts';
import { PublicGroupDetails } from '../schema.ts';
import * as schema from './schema.ts';
import { listTransferLocations, moveProjectInto, transferGroup } from './service.ts';

const tag = 'groups';

export function transferRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/groups/:id/transfer',
      tag,
      summary: 'Transfer a group',
      gate: gates.group('transfer_group'),
      params: schema.transfer,
      responses: { 201: GroupDetail },
      handle: ({ caller, subject, params }) => transferGroup(services, caller, subject, params.group_id),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/transfer_locations',
      tag,
      summary: 'List groups available for a group transfer',
      gate: gates.group('admin_group'),
      params: schema.transferLocations,
      paginated: true,
      responses: { 200: Type.Array(PublicGroupDetails) },
      handle: ({ caller, subject, params, page }) =>
        listTransferLocations(services, caller, subject, params.search, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/projects/:project_id',
      tag,
      summary: 'Transfer a project to a group',
      gate: gates.admin,
      params: schema.projectToMove,
      responses: { 201: GroupDetail },
      handle: ({ caller, params }) => moveProjectInto(services, caller, params.id, params.project_id),
    }),
  ];
}
