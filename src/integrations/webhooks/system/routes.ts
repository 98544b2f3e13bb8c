import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from '../hooks/schema.ts';
import * as service from '../hooks/service.ts';
import { ExampleEvent } from '../test-deliveries/schema.ts';
import { testSystemHook } from '../test-deliveries/service.ts';

const tag = 'webhooks';

/** Routes for system hooks. */
export function systemHookRoutes(services: Services, { admin: gate }: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/hooks',
      tag,
      summary: 'List system hooks',
      gate,
      params: {},
      paginated: true,
      responses: { 200: Type.Array(schema.SystemHook) },
      handle: ({ page }) => service.listHooks(services, 'instance', page),
    }),
    route({
      method: 'POST',
      path: '/hooks',
      tag,
      summary: 'Create a system hook',
      gate,
      params: schema.newSystemHook,
      responses: { 201: schema.SystemHook },
      handle: ({ params }) => service.createHook(services, 'instance', params),
    }),
    route({
      method: 'GET',
      path: '/hooks/:hook_id',
      tag,
      summary: 'Get a system hook',
      gate,
      params: schema.systemHookParams.hook,
      responses: { 200: schema.SystemHook },
      handle: ({ params }) => service.getHook(services, 'instance', params.hook_id),
    }),
    route({
      method: 'PUT',
      path: '/hooks/:hook_id',
      tag,
      summary: 'Update a system hook',
      gate,
      params: schema.systemHookChange,
      responses: { 200: schema.SystemHook },
      handle: ({ params }) => service.updateHook(services, 'instance', params.hook_id, params),
    }),
    route({
      method: 'POST',
      path: '/hooks/:hook_id',
      tag,
      summary: 'Test a system hook',
      gate,
      params: schema.systemHookParams.hook,
      responses: { 201: ExampleEvent },
      handle: ({ caller, params }) => testSystemHook(services, caller, params.hook_id),
    }),
    route({
      method: 'DELETE',
      path: '/hooks/:hook_id',
      tag,
      summary: 'Delete a system hook',
      gate,
      params: schema.systemHookParams.hook,
      responses: { 204: null },
      handle: ({ params, request }) => service.deleteHook(services, 'instance', params.hook_id, request),
    }),
    route({
      method: 'PUT',
      path: '/hooks/:hook_id/url_variables/:key',
      tag,
      summary: 'Set a system hook URL variable',
      gate,
      params: schema.systemHookParams.secretValue,
      responses: { 204: null },
      handle: ({ params }) => service.changeVariable(services, 'instance', params),
    }),
    route({
      method: 'DELETE',
      path: '/hooks/:hook_id/url_variables/:key',
      tag,
      summary: 'Delete a system hook URL variable',
      gate,
      params: schema.systemHookParams.secret,
      responses: { 204: null },
      handle: ({ params }) => service.changeVariable(services, 'instance', params),
    }),
    route({
      method: 'PUT',
      path: '/hooks/:hook_id/custom_headers/:key',
      tag,
      summary: 'Set a system hook custom header',
      gate,
      params: schema.systemHookParams.secretValue,
      responses: { 204: null },
      handle: ({ params }) => service.changeHeader(services, 'instance', params),
    }),
    route({
      method: 'DELETE',
      path: '/hooks/:hook_id/custom_headers/:key',
      tag,
      summary: 'Delete a system hook custom header',
      gate,
      params: schema.systemHookParams.secret,
      responses: { 204: null },
      handle: ({ params }) => service.changeHeader(services, 'instance', params),
    }),
  ];
}
