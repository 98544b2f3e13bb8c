import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Message } from '../../../platform/http/schema.ts';
import { oneRequest, project } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'external status checks';

/** Routes for the external status checks of a project. */
function checkRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_project');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/external_status_checks',
      tag,
      summary: 'List external status checks of a project',
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
      summary: 'Create an external status check',
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
      summary: 'Delete an external status check',
      gate,
      params: schema.oneCheck,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteCheck(services, subject, params.check_id),
    }),
  ];
}

/** Routes for the status of external status checks on a merge request. */
function standingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_merge_request');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/status_checks',
      tag,
      summary: 'List external status checks of a merge request',
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
      summary: 'Set the status of an external status check',
      gate,
      params: schema.newResponse,
      responses: { 201: schema.StatusCheckResponse },
      handle: ({ caller, subject, params }) => service.respond(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/status_checks/:external_status_check_id/retry',
      tag,
      summary: 'Retry a failed external status check',
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
