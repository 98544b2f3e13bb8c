import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { HostRepositories, ImportResult } from '../project-imports/public.ts';
import { listRepositories } from './repositories.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'imports';

export function hostaRoutes(services: Services, gates: Gates): Route[] {
  const importing = {
    tag,
    gate: gates.signedIn,
    params: schema.hostaImport,
    responses: { 201: ImportResult },
  } as const;
  const canceling = {
    tag,
    gate: gates.signedIn,
    params: schema.cancellation,
    responses: { 200: ImportResult },
  } as const;
  return [
    route({
      method: 'POST',
      path: '/import/hosta',
      summary: 'Import a repository from GitHub (hosta)',
      ...importing,
      handle: ({ caller, params }) => service.importRepository(services, caller, params),
    }),
    route({
      method: 'POST',
      path: '/import/github',
      summary: 'Import a repository from GitHub',
      ...importing,
      handle: ({ caller, params }) => service.importRepository(services, caller, params),
    }),
    route({
      method: 'POST',
      path: '/import/github/repositories',
      tag,
      summary: 'List GitHub repositories available for import',
      gate: gates.signedIn,
      params: schema.hostaRepositories,
      responses: { 200: HostRepositories },
      handle: ({ caller, params }) => listRepositories(services, caller, params),
    }),
    route({
      method: 'POST',
      path: '/import/hosta/cancel',
      summary: 'Cancel a GitHub import (hosta)',
      ...canceling,
      handle: ({ caller, params }) => service.cancel(services, caller, params.project_id),
    }),
    route({
      method: 'POST',
      path: '/import/github/cancel',
      summary: 'Cancel a GitHub import',
      ...canceling,
      handle: ({ caller, params }) => service.cancel(services, caller, params.project_id),
    }),
  ];
}
