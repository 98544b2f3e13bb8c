import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { ImportStatus } from '../project-imports/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'imports';

export function projectArchiveRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/import',
      tag,
      summary: 'Import a project from a file',
      gate: gates.signedIn,
      params: schema.fileImportSent,
      rawBody: true,
      responses: { 201: ImportStatus },
      handle: ({ caller, request, params }) => service.importFile(services, caller, request, params),
    }),
    route({
      method: 'POST',
      path: '/projects/remote-import',
      tag,
      summary: 'Import a project from a remote file',
      gate: gates.signedIn,
      params: schema.remoteImport,
      responses: { 201: ImportStatus },
      handle: ({ caller, params }) => service.importRemote(services, caller, params),
    }),
    route({
      method: 'POST',
      path: '/projects/remote-import-s3',
      tag,
      summary: 'Import a project from a file in an S3 bucket',
      gate: gates.signedIn,
      params: schema.bucketImport,
      responses: { 201: ImportStatus },
      handle: ({ caller, params }) => service.importFromBucket(services, caller, params),
    }),
  ];
}
