import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneRequest } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'merge_requests';

/** Routes for the files that a user has marked as viewed, shared between the user's browsers. */
export function viewedFileRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_merge_request', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/viewed_files',
      tag,
      summary: 'List viewed files of a merge request',
      gate,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(schema.ViewedFile) },
      handle: ({ caller, subject, params, page }) =>
        service.listViewed(services, caller, subject, params.merge_request_iid, page),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/viewed_files/:version',
      tag,
      summary: 'Mark a file of a merge request as viewed',
      gate,
      params: schema.oneViewedFile,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.markViewed(services, caller, subject, params, true),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/merge_requests/:merge_request_iid/viewed_files/:version',
      tag,
      summary: 'Mark a file of a merge request as not viewed',
      gate,
      params: schema.oneViewedFile,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.markViewed(services, caller, subject, params, false),
    }),
  ];
}
