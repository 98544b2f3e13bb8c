import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { readingGate } from '../pipelines/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'pipelines';

export function testReportRoutes(services: Services, gates: Gates): Route[] {
  const gate = readingGate(gates);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/test_report',
      tag,
      summary: 'Get the test report of a pipeline',
      gate,
      params: schema.ofPipeline,
      responses: { 200: schema.TestReport },
      handle: ({ subject, params }) => service.testReport(services, subject, params.pipeline_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/test_report_summary',
      tag,
      summary: 'Get the test report summary of a pipeline',
      gate,
      params: schema.ofPipeline,
      responses: { 200: schema.TestReportSummary },
      handle: ({ subject, params }) => service.testReportSummary(services, subject, params.pipeline_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/test_cases',
      tag,
      summary: 'List tests of a pipeline, failed tests first',
      gate,
      params: schema.caseListing,
      paginated: true,
      responses: { 200: Type.Array(schema.PlacedTestCase) },
      handle: ({ subject, params: { id: _, pipeline_id, ...filter }, page }) =>
        service.listTestCases(services, subject, pipeline_id, filter, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/test_failures',
      tag,
      summary: 'List failed tests of a pipeline, without output',
      gate,
      params: schema.ofPipeline,
      responses: { 200: Type.Array(schema.TestFailure) },
      handle: ({ subject, params }) => service.testFailures(services, subject, params.pipeline_id),
    }),
  ];
}
