import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { importMembers } from './service.ts';

export function memberImportRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/import_project_members/:project_id',
      tag: 'projects',
      summary: 'Import members from another project',
      gate: gates.project('admin_member'),
      params: {
        id: required(param.string({ description: 'ID or URL-encoded path' })),
        project_id: required(param.integer()),
      },
      responses: { 201: Type.Object({ status: Type.String() }) },
      handle: ({ caller, subject, params }) => importMembers(services, caller, subject, params.project_id),
    }),
  ];
}
