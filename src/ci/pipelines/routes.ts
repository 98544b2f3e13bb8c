import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { defaultBranch } from '../../code/repository/public.ts';
import { pipelineInputs } from '../pipeline-creation/public.ts';
import { readingGate, signedInReadingGate } from './gate.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'pipelines';

export function pipelineRoutes(services: Services, gates: Gates): Route[] {
  return [...readingRoutes(services, gates), ...modifyingRoutes(services, gates)];
}

function readingRoutes(services: Services, gates: Gates): Route[] {
  const gate = readingGate(gates);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/pipelines',
      tag,
      summary: 'List project pipelines',
      gate,
      jobToken: true,
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.PipelineListItem) },
      handle: ({ subject, params, page }) => service.listProjectPipelines(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/latest',
      tag,
      summary: 'Get the latest pipeline',
      gate,
      params: schema.latest,
      responses: { 200: schema.Pipeline },
      handle: ({ subject, params }) => service.latestPipeline(services, subject, params.ref),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/inputs',
      tag,
      summary: 'List the inputs of new pipelines',
      gate: gates.project('create_pipeline'),
      params: schema.latest,
      responses: { 200: Type.Array(schema.PipelineInput) },
      handle: async ({ caller, subject, params }) => [
        ...(await pipelineInputs(services, caller, subject, params.ref || defaultBranch(subject))),
      ],
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id',
      tag,
      summary: 'Get a single pipeline',
      gate,
      jobToken: true,
      params: schema.onePipeline,
      responses: { 200: schema.Pipeline },
      handle: ({ subject, params }) => service.getPipeline(services, subject, params.pipeline_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/variables',
      tag,
      summary: 'List pipeline variables',
      gate: signedInReadingGate(gates),
      params: schema.onePipeline,
      responses: { 200: Type.Array(schema.PipelineVariable) },
      handle: ({ caller, subject, params }) => service.listVariables(services, caller, subject, params.pipeline_id),
    }),
  ];
}

function modifyingRoutes(services: Services, gates: Gates): Route[] {
  const updateGate = gates.project('update_pipeline');
  return [
    route({
      method: 'POST',
      path: '/projects/:id/pipeline',
      tag,
      summary: 'Create a new pipeline',
      gate: gates.project('create_pipeline'),
      params: schema.newPipeline,
      responses: { 201: schema.Pipeline },
      handle: ({ caller, subject, params }) => service.startPipeline(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/pipelines/:pipeline_id/cancel',
      tag,
      summary: 'Cancel all jobs of a pipeline',
      gate: updateGate,
      params: schema.onePipeline,
      responses: { 200: schema.Pipeline },
      handle: ({ caller, subject, params }) => service.cancelPipeline(services, caller, subject, params.pipeline_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/pipelines/:pipeline_id/retry',
      tag,
      summary: 'Retry jobs in a pipeline',
      gate: updateGate,
      params: schema.onePipeline,
      responses: { 201: schema.Pipeline },
      handle: ({ caller, subject, params }) => service.retryPipeline(services, caller, subject, params.pipeline_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/pipelines/:pipeline_id/metadata',
      tag,
      summary: 'Update pipeline metadata',
      gate: updateGate,
      jobToken: true,
      params: schema.metadata,
      responses: { 200: schema.Pipeline },
      handle: ({ caller, subject, params }) =>
        service.renamePipeline(services, caller, subject, params.pipeline_id, params.name),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/pipelines/:pipeline_id',
      tag,
      summary: 'Delete a pipeline',
      gate: gates.project('destroy_pipeline'),
      params: schema.onePipeline,
      responses: { 204: null },
      handle: ({ subject, params }) => service.removePipeline(services, subject, params.pipeline_id),
    }),
  ];
}
