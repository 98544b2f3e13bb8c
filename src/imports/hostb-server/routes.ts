import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { HostRepositories, ImportResult } from '../project-imports/public.ts';
import { listRepositories } from './repositories.ts';
import * as schema from './schema.ts';
import { importRepository } from './service.ts';

const tag = 'imports';

export function hostbServerRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/import/hostb_server',
      tag,
      summary: 'Import a repository from Bitbucket Server (hostb)',
      gate: gates.signedIn,
      params: schema.serverImport,
      rules: [schema.requireAs('hostb_server')],
      responses: { 201: ImportResult },
      handle: ({ caller, params }) => importRepository(services, caller, params),
    }),
    route({
      method: 'POST',
      path: '/import/bitbucket_server',
      tag,
      summary: 'Import a repository from Bitbucket Server',
      gate: gates.signedIn,
      params: schema.serverImport,
      rules: [schema.requireAs('bitbucket_server')],
      responses: { 201: ImportResult },
      handle: ({ caller, params }) => importRepository(services, caller, params),
    }),
    route({
      method: 'POST',
      path: '/import/bitbucket_server/repositories',
      tag,
      summary: 'List Bitbucket Server repositories available for import',
      gate: gates.signedIn,
      params: schema.serverRepositories,
      responses: { 200: HostRepositories },
      handle: ({ caller, params }) => listRepositories(services, caller, params),
    }),
  ];
}
