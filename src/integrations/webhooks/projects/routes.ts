import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { Message } from '../../../platform/http/schema.ts';
import { eventFilter, oneEvent, Resent, WebhookEvent } from '../deliveries/schema.ts';
import { listEvents, resendEvent } from '../deliveries/service.ts';
import { triedEvents } from '../events.ts';
import * as schema from '../hooks/schema.ts';
import * as service from '../hooks/service.ts';
import { tryHook } from '../trials/service.ts';

const tag = 'webhooks';

/** The webhooks of a project, their secrets, and what became of their deliveries. */
export function projectHookRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_hook', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/hooks',
      tag,
      summary: 'List the webhooks of a project',
      gate,
      params: schema.places.hooks,
      paginated: true,
      answers: { 200: Type.Array(schema.ProjectHook) },
      handle: ({ subject, page }) => service.listHooks(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/hooks',
      tag,
      summary: 'Add a webhook to a project',
      gate,
      params: schema.newProjectHook,
      answers: { 201: schema.ProjectHook },
      handle: ({ subject, params }) => service.createHook(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/hooks/:hook_id',
      tag,
      summary: 'Get a webhook of a project',
      gate,
      params: schema.places.hook,
      answers: { 200: schema.ProjectHook },
      handle: ({ subject, params }) => service.getHook(services, subject, params.hook_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/hooks/:hook_id',
      tag,
      summary: 'Change a webhook of a project',
      gate,
      params: schema.projectHookChange,
      answers: { 200: schema.ProjectHook },
      handle: ({ subject, params }) => service.updateHook(services, subject, params.hook_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/hooks/:hook_id',
      tag,
      summary: 'Remove a webhook from a project',
      gate,
      params: schema.places.hook,
      answers: { 204: null },
      handle: ({ subject, params }) => service.deleteHook(services, subject, params.hook_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/hooks/:hook_id/url_variables/:key',
      tag,
      summary: 'Set a variable of the URL of a webhook',
      gate,
      params: schema.places.secretValue,
      answers: { 204: null },
      handle: ({ subject, params }) => service.changeVariable(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/hooks/:hook_id/url_variables/:key',
      tag,
      summary: 'Remove a variable of the URL of a webhook',
      gate,
      params: schema.places.secret,
      answers: { 204: null },
      handle: ({ subject, params }) => service.changeVariable(services, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/hooks/:hook_id/custom_headers/:key',
      tag,
      summary: 'Set a header that a webhook sends',
      gate,
      params: schema.places.secretValue,
      answers: { 204: null },
      handle: ({ subject, params }) => service.changeHeader(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/hooks/:hook_id/custom_headers/:key',
      tag,
      summary: 'Remove a header that a webhook sends',
      gate,
      params: schema.places.secret,
      answers: { 204: null },
      handle: ({ subject, params }) => service.changeHeader(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/hooks/:hook_id/events',
      tag,
      summary: 'List what a webhook was told of late',
      gate,
      params: { ...schema.places.hook, ...eventFilter },
      paginated: true,
      answers: { 200: Type.Array(WebhookEvent) },
      handle: ({ subject, params, page }) => listEvents(services, subject, params, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/hooks/:hook_id/events/:hook_log_id/resend',
      tag,
      summary: 'Tell a webhook once more',
      gate,
      params: { ...schema.places.hook, ...oneEvent },
      answers: { 201: Resent },
      handle: ({ caller, subject, params }) => resendEvent(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/hooks/:hook_id/test/:trigger',
      tag,
      summary: 'Try a webhook out',
      gate,
      params: { ...schema.places.hook, trigger: required(param.oneOf(triedEvents)) },
      answers: { 201: Message },
      handle: ({ caller, subject, params }) => tryHook(services, caller, subject, params),
    }),
  ];
}
