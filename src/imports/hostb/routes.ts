import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { HostRepositories, ImportResult } from '../project-imports/public.ts';
import { listRepositories } from './repositories.ts';
import * as schema from './schema.ts';
import { importRepository } from './service.ts';

const tag = 'imports';

export function hostbRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/import/hostb',
      tag,
      summary: 'Import a repository from Bitbucket Cloud (hostb)',
      gate: gates.signedIn,
      params: schema.hostbImport,
      rules: [schema.oneCredential('hostb')],
      responses: { 201: ImportResult },
      handle: ({ caller, params }) => importRepository(services, caller, params),
    }),
    route({
      method: 'POST',
      path: '/import/bitbucket',
      tag,
      summary: 'Import a repository from Bitbucket Cloud',
      gate: gates.signedIn,
      params: schema.hostbImport,
      rules: [schema.oneCredential('bitbucket')],
      responses: { 201: ImportResult },
      handle: ({ caller, params }) => importRepository(services, caller, params),
    }),
    route({
      method: 'POST',
      path: '/import/bitbucket/repositories',
      tag,
      summary: 'List Bitbucket Cloud repositories available for import',
      gate: gates.signedIn,
      params: schema.hostbRepositories,
      rules: [schema.oneCredential('bitbucket')],
      responses: { 200: HostRepositories },
      handle: ({ caller, params }) => listRepositories(services, caller, params),
    }),
  ];
}
