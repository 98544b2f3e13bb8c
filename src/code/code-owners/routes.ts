import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { repositoryGate } from '../repository/public.ts';
import * as schema from './schema.ts';
import { ownersOfFile } from './service.ts';

export function codeOwnerRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/files/:file_path/code_owners',
      tag: 'repository files',
      summary: 'List the code owners of a file',
      gate: repositoryGate(gates, 'read_code'),
      scopes: ['read_repository'],
      params: schema.file,
      responses: { 200: Type.Array(schema.FileOwners) },
      handle: ({ subject, params }) => ownersOfFile(services, subject, params),
    }),
  ];
}
