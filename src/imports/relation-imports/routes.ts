import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { RelationImport, relationImportSent } from './schema.ts';
import * as service from './service.ts';

const tag = 'imports';

export function relationImportRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/import-relation',
      tag,
      summary: 'Import a project relation',
      gate: gates.signedIn,
      params: relationImportSent,
      rawBody: true,
      responses: { 201: RelationImport },
      handle: ({ caller, request, params }) => service.importRelation(services, caller, request, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/relation-imports',
      tag,
      summary: 'List relation imports of a project',
      gate: gates.project('admin_project', { signedIn: true }),
      params: projectParam,
      paginated: true,
      responses: { 200: Type.Array(RelationImport) },
      handle: ({ subject, page }) => service.listImports(services, subject, page),
    }),
  ];
}
