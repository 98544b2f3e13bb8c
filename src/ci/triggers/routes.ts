import type { IncomingHttpHeaders } from 'node:http';
import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { Pipeline } from '../pipelines/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { startByToken } from './start.ts';

const tag = 'pipeline triggers';

export function triggerRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_pipeline', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/triggers',
      tag,
      summary: 'List trigger tokens of a project',
      gate,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.Trigger) },
      handle: ({ caller, subject, page }) => service.listTriggers(services, caller, subject, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/triggers/:trigger_id',
      tag,
      summary: 'Get a trigger token',
      gate,
      params: schema.oneTrigger,
      responses: { 200: schema.Trigger },
      handle: ({ caller, subject, params }) => service.getTrigger(services, caller, subject, params.trigger_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/triggers',
      tag,
      summary: 'Create a trigger token',
      gate,
      params: schema.newTrigger,
      responses: { 201: schema.Trigger },
      handle: ({ caller, subject, params }) => service.createTrigger(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/triggers/:trigger_id',
      tag,
      summary: 'Update a trigger token',
      gate,
      params: schema.triggerChange,
      responses: { 200: schema.Trigger },
      handle: ({ caller, subject, params }) =>
        service.updateTrigger(services, caller, subject, params.trigger_id, params.description),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/triggers/:trigger_id',
      tag,
      summary: 'Delete a trigger token',
      gate,
      params: schema.oneTrigger,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteTrigger(services, subject, params.trigger_id),
    }),
    ...startingRoutes(services, gates),
  ];
}

/**
 * Rejects calls from pipeline webhooks: a pipeline started by a pipeline hook would trigger that hook again, endlessly.
 */
function rejectPipelineHook(headers: IncomingHttpHeaders): void {
  const events = [headers['x-gitlab-event'], headers['x-service-event']];
  if (events.includes('Pipeline Hook')) throw new Forbidden();
}

/** The trigger token authenticates the request; no user is signed in. */
function startingRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/trigger/pipeline',
      tag,
      summary: 'Trigger a pipeline with a token',
      gate: gates.anyone,
      params: schema.start,
      responses: { 201: Pipeline },
      handle: ({ params, request }) => {
        rejectPipelineHook(request.headers);
        return startByToken(services, params);
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/ref/:ref/trigger/pipeline',
      tag,
      summary: 'Trigger a pipeline on a ref with a token',
      gate: gates.anyone,
      params: schema.start,
      responses: { 201: Pipeline },
      handle: ({ params, request }) => {
        rejectPipelineHook(request.headers);
        return startByToken(services, params);
      },
    }),
  ];
}
