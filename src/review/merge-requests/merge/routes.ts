import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { MergeRequest, oneRequest } from '../schema.ts';
import { cancelAutoMerge } from './auto-merge.ts';
import { defaultMessages } from './default-messages.ts';
import { getMergeRef } from './merge-ref.ts';
import { startRebase } from './rebase.ts';
import * as schema from './schema.ts';
import { mergeRequest } from './service.ts';

const tag = 'merge_requests';

/** Routes for merging. Callers without read access get the same response as for a missing merge request. */
export function mergeRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project', { signedIn: true });
  return [
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/merge',
      tag,
      summary: 'Merge a merge request',
      gate,
      params: schema.merge,
      responses: { 200: MergeRequest },
      handle: ({ caller, subject, params }) => mergeRequest(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds',
      tag,
      summary: 'Cancel auto-merge of a merge request',
      gate,
      params: oneRequest,
      responses: { 201: schema.Canceled },
      handle: ({ caller, subject, params }) => cancelAutoMerge(services, caller, subject, params.merge_request_iid),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/rebase',
      tag,
      summary: 'Rebase a merge request',
      gate,
      params: schema.rebase,
      responses: { 202: schema.Rebasing },
      handle: ({ caller, subject, params }) =>
        startRebase(services, caller, subject, params.merge_request_iid, params.skip_ci ?? false),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/merge_ref',
      tag,
      summary: 'Get the merge ref of a merge request',
      gate: gates.project('read_project'),
      params: oneRequest,
      responses: { 200: schema.MergeRef },
      handle: ({ subject, params }) => getMergeRef(services, subject, params.merge_request_iid),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/default_messages',
      tag,
      // Not part of GitLab's REST API: the default values of the merge form.
      summary: 'Get default commit messages of a merge request',
      gate,
      params: oneRequest,
      responses: { 200: schema.DefaultMessages },
      handle: ({ caller, subject, params }) => defaultMessages(services, caller, subject, params.merge_request_iid),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/merge_ref',
      tag,
      // Undocumented, but used by published clients.
      summary: 'Create the merge ref of a merge request',
      gate,
      params: oneRequest,
      responses: { 200: schema.MergeRef },
      handle: ({ subject, params }) => getMergeRef(services, subject, params.merge_request_iid),
    }),
  ];
}
