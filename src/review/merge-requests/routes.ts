import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { BasicUser } from '../../people/users/public.ts';
import { Todo } from '../../planning/todos/public.ts';
import { atLeastOneOf } from '../../platform/http/params.ts';
import { createMergeRequest } from './changes/create.ts';
import { updateMergeRequest } from './changes/edit.ts';
import { getMergeRequest } from './detail.ts';
import * as people from './people.ts';
import * as schema from './schema.ts';
import { deleteMergeRequest } from './service.ts';

const tag = 'merge_requests';

export function mergeRequestRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_merge_request');
  const signedIn = gates.project('read_merge_request', { signedIn: true });
  return [
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests',
      tag,
      summary: 'Create a merge request',
      gate: gates.project('push_code'),
      params: schema.newRequest,
      responses: { 201: schema.MergeRequest },
      handle: ({ caller, subject, params }) => createMergeRequest(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid',
      tag,
      summary: 'Get a merge request',
      gate: reading,
      jobToken: true,
      params: schema.singleView,
      responses: { 200: schema.MergeRequest },
      handle: ({ caller, subject, params }) => getMergeRequest(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid',
      tag,
      summary: 'Update a merge request',
      gate: signedIn,
      params: schema.requestChange,
      rules: [atLeastOneOf(...schema.changing)],
      responses: { 200: schema.MergeRequest },
      handle: ({ caller, subject, params }) =>
        updateMergeRequest(services, caller, subject, params.merge_request_iid, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/merge_requests/:merge_request_iid',
      tag,
      summary: 'Delete a merge request',
      gate: signedIn,
      params: schema.oneRequest,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        deleteMergeRequest(services, caller, subject, params.merge_request_iid, request),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/participants',
      tag,
      summary: 'List participants of a merge request',
      gate: reading,
      params: schema.oneRequest,
      paginated: true,
      responses: { 200: Type.Array(BasicUser) },
      handle: ({ caller, subject, params, page }) =>
        people.listParticipants(services, caller, subject, params.merge_request_iid, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/reviewers',
      tag,
      summary: 'List reviewers of a merge request',
      gate: reading,
      params: schema.oneRequest,
      responses: { 200: Type.Array(schema.ReviewerDetail) },
      handle: ({ subject, params }) => people.listReviewers(services, subject, params.merge_request_iid),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/subscribe',
      tag,
      summary: 'Subscribe to a merge request',
      gate: signedIn,
      params: schema.oneRequest,
      responses: { 201: schema.MergeRequest, 304: null },
      handle: ({ caller, subject, params }) =>
        people.setSubscribed(services, caller, subject, params.merge_request_iid, true),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/unsubscribe',
      tag,
      summary: 'Unsubscribe from a merge request',
      gate: signedIn,
      params: schema.oneRequest,
      responses: { 201: schema.MergeRequest, 304: null },
      handle: ({ caller, subject, params }) =>
        people.setSubscribed(services, caller, subject, params.merge_request_iid, false),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/todo',
      tag,
      summary: 'Create a to-do item for a merge request',
      gate: signedIn,
      params: schema.oneRequest,
      responses: { 201: Todo, 304: null },
      handle: ({ caller, subject, params }) =>
        people.createRequestTodo(services, caller, subject, params.merge_request_iid),
    }),
  ];
}
