import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { readingGate } from '../pipelines/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'pipelines';

export function codeReportRoutes(services: Services, gates: Gates): Route[] {
  const gate = readingGate(gates);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/coverage_report',
      tag,
      summary: 'Get the coverage of files in a pipeline',
      gate,
      params: schema.coverageOfFiles,
      responses: { 200: schema.CoverageReport },
      handle: ({ subject, params }) => service.coverageReport(services, subject, params.pipeline_id, params.paths),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/code_quality',
      tag,
      summary: 'List the code quality violations of a pipeline',
      gate,
      params: schema.problemListing,
      paginated: true,
      responses: { 200: Type.Array(schema.CodeProblem) },
      handle: ({ subject, params, page }) =>
        service.listProblems(services, subject, params.pipeline_id, params.paths, page),
    }),
  ];
}
