import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { readingGate, signedInReadingGate } from '../pipelines/public.ts';
import * as browse from './browse.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'jobs';

export function jobRoutes(services: Services, gates: Gates): Route[] {
  return [...readingRoutes(services, gates), ...pipelineRoutes(services, gates), ...actionRoutes(services, gates)];
}

function readingRoutes(services: Services, gates: Gates): Route[] {
  const gate = signedInReadingGate(gates);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/jobs',
      tag,
      summary: 'List project jobs',
      gate,
      jobToken: true,
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.Job) },
      handle: ({ subject, params, page }) => browse.listProjectJobs(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/jobs/:job_id',
      tag,
      summary: 'Get a single job',
      gate,
      jobToken: true,
      params: schema.oneJob,
      responses: { 200: schema.Job },
      handle: ({ subject, params }) => service.getJob(services, subject, params.job_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/jobs/:job_id/trace',
      tag,
      summary: 'Get a log file',
      gate,
      params: schema.oneJob,
      responses: { 200: Type.String() },
      handle: async ({ subject, params, request, reply }) => {
        const trace = await browse.readTrace(services, subject, params.job_id, request.headers.range);
        return sendTrace(reply, params.job_id, trace);
      },
    }),
  ];
}

type Trace = Awaited<ReturnType<typeof browse.readTrace>>;

function sendTrace(reply: FastifyReply, id: number, trace: Trace): FastifyReply {
  reply
    .header('content-type', 'text/plain')
    .header('content-disposition', `infile; filename="${id}.log"`)
    .header('x-content-type-options', 'nosniff')
    .header('accept-ranges', 'bytes');
  if (!trace?.part) return reply.header('content-length', trace?.size ?? 0).send(trace?.stream ?? '');
  const { start, end } = trace.part;
  return reply
    .code(206)
    .header('content-range', `bytes ${start}-${end}/${trace.size}`)
    .header('content-length', end - start + 1)
    .send(trace.stream);
}

function pipelineRoutes(services: Services, gates: Gates): Route[] {
  const gate = readingGate(gates);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/jobs',
      tag,
      summary: 'List the jobs of a pipeline',
      gate,
      jobToken: true,
      params: schema.ofPipeline,
      paginated: true,
      responses: { 200: Type.Array(schema.Job) },
      handle: ({ subject, params, page }) =>
        browse.listPipelineJobs(services, subject, params.pipeline_id, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/bridges',
      tag,
      summary: 'List pipeline trigger jobs',
      gate,
      jobToken: true,
      params: schema.bridgesOfPipeline,
      paginated: true,
      responses: { 200: Type.Array(schema.Bridge) },
      handle: ({ caller, subject, params, page }) =>
        browse.listBridges(services, caller, subject, params.pipeline_id, params.scope, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/needs',
      tag,
      summary: 'List the jobs of a pipeline with their needs',
      gate,
      params: schema.needsOfPipeline,
      paginated: true,
      responses: { 200: Type.Array(schema.JobInGraph) },
      handle: ({ subject, params, page }) => browse.listNeeds(services, subject, params.pipeline_id, page),
    }),
  ];
}

function actionRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('update_pipeline');
  const jobOrBridge = Type.Union([schema.Job, schema.Bridge]);
  return [
    route({
      method: 'POST',
      path: '/projects/:id/jobs/:job_id/cancel',
      tag,
      summary: 'Cancel a job',
      gate,
      params: schema.cancel,
      responses: { 201: jobOrBridge },
      handle: ({ caller, subject, params }) =>
        service.cancelOne(services, caller, subject, params.job_id, params.force),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/jobs/:job_id/inputs',
      tag,
      summary: 'List the inputs of a job',
      gate,
      params: schema.oneJob,
      responses: { 200: Type.Array(schema.JobInput) },
      handle: ({ subject, params }) => service.listInputs(services, subject, params.job_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/jobs/:job_id/retry',
      tag,
      summary: 'Retry a job',
      gate,
      params: schema.retry,
      responses: { 201: jobOrBridge },
      handle: ({ caller, subject, params }) =>
        service.retryOne(services, caller, subject, params.job_id, params.inputs ?? params.job_inputs),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/jobs/:job_id/play',
      tag,
      summary: 'Run a job',
      gate,
      params: schema.play,
      responses: { 200: jobOrBridge },
      handle: ({ caller, subject, params }) =>
        service.playOne(services, caller, subject, params.job_id, {
          variables: params.job_variables_attributes ?? [],
          inputs: params.job_inputs,
        }),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/jobs/:job_id/erase',
      tag,
      summary: 'Erase a job',
      gate,
      params: schema.oneJob,
      responses: { 201: jobOrBridge },
      handle: ({ caller, subject, params }) => service.eraseOne(services, caller, subject, params.job_id),
    }),
  ];
}
