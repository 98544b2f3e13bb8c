import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { group } from '../settings/schema.ts';
import { purge } from './removal.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'dependency proxy';

/** What is kept in `/groups/:id/dependency_proxy`. */
export function cacheRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_dependency_proxy', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/dependency_proxy/manifests',
      tag,
      summary: 'List the manifests that a group keeps of another registry',
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
      summary: 'List the blobs that a group keeps of another registry',
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
      summary: 'Remove all that a group keeps of another registry',
      gate: gates.group('admin_dependency_proxy', { signedIn: true }),
      params: group,
      responses: { 202: null },
      handle: ({ subject }) => purge(services, subject),
    }),
  ];
}
