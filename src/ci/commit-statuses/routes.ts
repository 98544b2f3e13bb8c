import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'commits';

/** Routes for statuses that external services report on commits. */
export function commitStatusRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/statuses',
      tag,
      summary: 'List the statuses of a commit',
      gate: gates.project('read_commit_status', { signedIn: true }),
      params: schema.listing,
      paginated: true,
      responses: { 200: Type.Array(schema.CommitStatus) },
      handle: (call) => service.listStatuses(services, call.subject, call.params.sha, call.params, call.page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/statuses/:sha',
      tag,
      summary: 'Set the status of a commit',
      gate: gates.project('create_commit_status', { signedIn: true }),
      params: schema.report,
      responses: { 201: schema.CommitStatus },
      handle: (call) => service.reportStatus(services, call, call.params.sha, call.params),
    }),
  ];
}
