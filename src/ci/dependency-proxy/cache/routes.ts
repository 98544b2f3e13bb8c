import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { group } from '../settings/schema.ts';
import { enqueuePurge } from './removal.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'dependency proxy';

/** `/groups/:id/dependency_proxy`: cached manifests and blobs. */
export function cacheRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_dependency_proxy', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/dependency_proxy/manifests',
      tag,
      summary: 'List cached dependency proxy manifests of a group',
      gate: reading,
      params: group,
      paginated: true,
      responses: { 200: Type.Array(schema.ProxiedManifest) },
      handle: ({ subject, page }) => service.listManifests(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/dependency_proxy/blobs',
      tag,
      summary: 'List cached dependency proxy blobs of a group',
      gate: reading,
      params: group,
      paginated: true,
      responses: { 200: Type.Array(schema.ProxiedBlob) },
      handle: ({ subject, page }) => service.listBlobs(services, subject, page),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/dependency_proxy/cache',
      tag,
      summary: 'Purge the dependency proxy cache of a group',
      gate: gates.group('admin_dependency_proxy', { signedIn: true }),
      params: group,
      responses: { 202: null },
      handle: ({ subject }) => enqueuePurge(services, subject),
    }),
  ];
}
