import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { disposition } from '../../platform/http/raw.ts';
import { repositoryGate } from '../repository/public.ts';
import { suffixes, suffixPattern } from './formats.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'repositories';

/** `/projects/:id/repository/archive` with its suffixes, and the snapshot of a whole repository. */
export function archiveRoutes(services: Services, gates: Gates): Route[] {
  const cache = service.archiveCache(services);
  const gate = repositoryGate(gates, 'read_code');
  return [
    ...['', `.:format(${suffixPattern})`].map((suffix) =>
      route({
        method: 'GET',
        path: `/projects/:id/repository/archive${suffix}`,
        tag,
        summary: suffix === '' ? 'Download an archive' : 'Download an archive in a format',
        gate,
        params: schema.archive,
        answers: { 200: Type.String(), 206: Type.String(), 304: null },
        handle: (call) =>
          service.sendArchive(services, cache, call, suffixes[call.params.format ?? 'tar.gz'], call.params),
      }),
    ),
    route({
      method: 'GET',
      path: '/projects/:id/snapshot',
      tag,
      summary: 'Download the bare repository',
      gate: gates.project('read_storage'),
      params: schema.snapshot,
      answers: { 200: Type.String() },
      handle: async ({ subject, params, signal, request, reply }) => {
        reply.headers({
          'content-type': 'application/x-tar',
          'content-disposition': disposition('attachment', 'snapshot.tar'),
        });
        if (request.method === 'HEAD') return reply.send();
        return reply.send(await service.takeSnapshot(services, subject, params.wiki, signal));
      },
    }),
  ];
}
