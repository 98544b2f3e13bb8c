import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { disposition } from '../../platform/http/responses/raw.ts';
import { repositoryGate } from '../repository/public.ts';
import { archiveCache } from './cache.ts';
import { type Suffix, suffixes } from './formats.ts';
import type { ArchiveRequest } from './plan.ts';
import * as schema from './schema.ts';
import { type ArchiveCall, sendArchive } from './service.ts';
import { takeSnapshot } from './snapshot.ts';

const tag = 'repositories';

/** `/projects/:id/repository/archive` with its suffixes, and the repository snapshot. */
export function archiveRoutes(services: Services, gates: Gates): Route[] {
  const cache = archiveCache(services);
  const gate = repositoryGate(gates, 'read_code');
  const responses = { 200: Type.String(), 206: Type.String(), 304: null };
  const send = (call: ArchiveCall, archiveRequest: ArchiveRequest & { readonly format?: Suffix }) =>
    sendArchive(services, cache, call, suffixes[archiveRequest.format ?? 'tar.gz'], archiveRequest);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/archive',
      tag,
      summary: 'Download a repository archive',
      gate,
      params: schema.archive,
      responses,
      handle: (call) => send(call, call.params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/archive.:format(^tar\\.gz$|^tgz$|^gz$|^tar\\.bz2$|^tbz$|^tbz2$|^tb2$|^bz2$|^tar$|^zip$)',
      tag,
      summary: 'Download a repository archive in the given format',
      gate,
      params: schema.archive,
      responses,
      handle: (call) => send(call, call.params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snapshot',
      tag,
      summary: 'Download a repository snapshot',
      gate: gates.project('read_storage'),
      params: schema.snapshot,
      responses: { 200: Type.String() },
      handle: async ({ subject, params, signal, request, reply }) => {
        reply.headers({
          'content-type': 'application/x-tar',
          'content-disposition': disposition('attachment', 'snapshot.tar'),
        });
        if (request.method === 'HEAD') return reply.send();
        return reply.send(await takeSnapshot(services, subject, params.wiki, signal));
      },
    }),
  ];
}
