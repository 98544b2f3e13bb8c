import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { notBlank, param, required } from '../../../platform/http/params.ts';
import { PublicGroupDetails } from '../../groups/public.ts';
import { Project, projectParam } from '../schema.ts';
import { presentChanged } from '../views/present.ts';
import { findTransferLocations } from './locations.ts';
import { transferProject } from './service.ts';

const tag = 'projects';

export function transferRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/projects/:id/transfer',
      tag,
      summary: 'Transfer a project',
      gate: gates.project('transfer_project'),
      params: { ...projectParam, namespace: required(notBlank(param.string())) },
      responses: { 200: Project },
      handle: ({ caller, subject, params }) =>
        presentChanged(services, caller, transferProject(services, caller, subject, params.namespace)),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/transfer_locations',
      tag,
      summary: 'List groups available for a project transfer',
      gate: gates.project('transfer_project'),
      params: { ...projectParam, search: param.string() },
      paginated: true,
      responses: { 200: Type.Array(PublicGroupDetails) },
      handle: ({ caller, subject, params, page }) =>
        findTransferLocations(services, caller, subject, params.search, page),
    }),
  ];
}
