import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import { cachedResponse, repositoryGate, repositoryOf, requireCommit } from '../repository/public.ts';
import { listLastChanges } from './last-changes.ts';
import { checkListing, listTree, presentEntry } from './list.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'repositories';

/** `/projects/:id/repository/tree` and `/projects/:id/repository/blobs`. */
export function treeRoutes(services: Services, gates: Gates): Route[] {
  const read = repositoryGate(gates, 'read_code');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/tree',
      tag,
      summary: 'List all repository trees in a project',
      gate: read,
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.TreeEntry) },
      handle: async (call) => {
        const { subject, params, page, request } = call;
        checkListing(params);
        const commit = await requireCommit(services, subject, params.ref, 'Tree');
        const objects = services.git.objects(repositoryOf(services, subject));
        return cachedResponse(objects, [commit.oid], request, async () => {
          const listing = await listTree(services, call, commit, params, page);
          return listing.map(presentEntry);
        });
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/tree/last_commits',
      tag,
      summary: 'List the last commits of folder entries',
      gate: read,
      params: schema.folder,
      paginated: true,
      responses: { 200: Type.Array(schema.EntryChange) },
      handle: async (call) => {
        const { subject, params, page, request } = call;
        const commit = await requireCommit(services, subject, params.ref, 'Tree');
        const objects = services.git.objects(repositoryOf(services, subject));
        return cachedResponse(objects, [commit.oid], request, () =>
          listLastChanges(services, call, commit, params.path, page),
        );
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/blobs/:sha',
      tag,
      summary: 'Get a blob from a repository',
      gate: read,
      params: schema.blob,
      responses: { 200: schema.Blob },
      handle: async ({ subject, params, signal, reply }) => {
        const found = await service.getBlob(services, subject, params.sha, signal);
        if (!('json' in found)) return found;
        return reply.headers({ 'content-type': 'application/json', 'content-length': found.length }).send(found.json);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/blobs/:sha/raw',
      tag,
      summary: 'Get the raw content of a blob',
      gate: read,
      params: schema.blob,
      responses: { 200: Type.String() },
      handle: async ({ subject, params, signal, reply }) => {
        const { stream, ...file } = await service.openBlob(services, subject, params.sha, signal);
        return sendRaw(reply, stream, file);
      },
    }),
  ];
}
