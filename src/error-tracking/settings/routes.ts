import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'error_tracking';

/** `/projects/:id/error_tracking/settings` and `/projects/:id/error_tracking/client_keys`. */
export function settingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_error_tracking', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/error_tracking/settings',
      tag,
      summary: 'Get error tracking settings',
      gate,
      params: schema.project,
      responses: { 200: schema.ErrorTrackingSetting },
      handle: ({ subject }) => service.getSetting(services, subject),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/error_tracking/settings',
      tag,
      summary: 'Create error tracking settings',
      gate,
      params: schema.setting,
      responses: { 200: schema.ErrorTrackingSetting },
      handle: ({ subject, params }) => service.saveSetting(services, subject, params),
    }),
    route({
      method: 'PATCH',
      path: '/projects/:id/error_tracking/settings',
      tag,
      summary: 'Enable or disable error tracking',
      gate,
      params: schema.change,
      responses: { 200: schema.ErrorTrackingSetting },
      handle: ({ subject, params }) => service.changeSetting(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/error_tracking/client_keys',
      tag,
      summary: 'List project client keys',
      gate,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.ClientKey) },
      handle: ({ subject, page }) => service.listKeys(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/error_tracking/client_keys',
      tag,
      summary: 'Create a client key',
      gate,
      params: schema.project,
      responses: { 201: schema.ClientKey },
      handle: ({ subject }) => service.createKey(services, subject),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/error_tracking/client_keys/:key_id',
      tag,
      summary: 'Delete a client key',
      gate,
      params: schema.oneKey,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteKey(services, subject, params.key_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/error_tracking/client_keys/:key_id/rotate',
      tag,
      summary: 'Rotate a client key',
      gate,
      params: schema.oneKey,
      responses: { 200: schema.ClientKey },
      handle: ({ subject, params }) => service.rotateKey(services, subject, params.key_id),
    }),
  ];
}
