import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Message } from '../../../platform/http/schema.ts';
import { oneRequest, project } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'external status checks';

/** The programs that a project asks about its merge requests. */
function checkRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_project');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/external_status_checks',
      tag,
      summary: 'List the external status checks of a project',
      gate,
      params: project,
      paginated: true,
      responses: { 200: Type.Array(schema.StatusCheck) },
      handle: ({ subject, page }) => service.listChecks(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/external_status_checks',
      tag,
      summary: 'Add an external status check to a project',
      gate,
      params: schema.newCheck,
      responses: { 201: schema.StatusCheck },
      handle: ({ subject, params }) => service.createCheck(services, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/external_status_checks/:check_id',
      tag,
      summary: 'Update an external status check',
      gate,
      params: schema.checkChange,
      responses: { 200: schema.StatusCheck },
      handle: ({ subject, params }) => service.updateCheck(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/external_status_checks/:check_id',
      tag,
      summary: 'Remove an external status check from a project',
      gate,
      params: schema.oneCheck,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteCheck(services, subject, params.check_id),
    }),
  ];
}

/** What they say of one merge request. */
function standingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_merge_request');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/status_checks',
      tag,
      summary: 'List how the external status checks of a merge request stand',
      gate,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(schema.RequestStatusCheck) },
      handle: ({ subject, params, page }) => service.listStandings(services, subject, params.merge_request_iid, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/status_check_responses',
      tag,
      summary: 'Say how an external status check came out',
      gate,
      params: schema.newResponse,
      responses: { 201: schema.StatusCheckResponse },
      handle: ({ caller, subject, params }) => service.respond(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/status_checks/:external_status_check_id/retry',
      tag,
      summary: 'Ask an external status check that failed once more',
      gate,
      params: schema.retried,
      responses: { 202: Message },
      handle: async ({ caller, subject, params }) => {
        await service.retry(services, caller, subject, params.merge_request_iid, params.external_status_check_id);
        return { message: '202 Accepted' };
      },
    }),
  ];
}

export function statusCheckRoutes(services: Services, gates: Gates): Route[] {
  return [...checkRoutes(services, gates), ...standingRoutes(services, gates)];
}
