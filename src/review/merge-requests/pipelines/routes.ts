import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Pipeline, PipelineBasic } from '../../../ci/pipelines/public.ts';
import { param } from '../../../platform/http/params.ts';
import { oneRequest } from '../schema.ts';
import { requestPipeline } from './jobs.ts';
import { createRequestPipeline, listPipelines } from './service.ts';

const tag = 'merge_requests';

export function requestPipelineRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
      tag,
      summary: 'List pipelines of a merge request',
      gate: gates.project('read_merge_request'),
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(PipelineBasic) },
      handle: ({ caller, subject, params, page }) =>
        listPipelines(services, caller, subject, params.merge_request_iid, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
      tag,
      summary: 'Create a pipeline for a merge request',
      gate: gates.project('read_merge_request', { signedIn: true }),
      params: {
        ...oneRequest,
        async: param.boolean({ description: 'Respond immediately and create the pipeline in the background' }),
      },
      responses: { 201: Pipeline, 202: null },
      handle: async ({ caller, subject, params, reply }) => {
        if (!params.async) return createRequestPipeline(services, caller, subject, params.merge_request_iid);
        await requestPipeline(services, caller, subject, params.merge_request_iid);
        return reply.code(202).send();
      },
    }),
  ];
}
