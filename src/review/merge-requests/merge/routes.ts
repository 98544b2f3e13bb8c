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

/** How merge requests are merged. Those who may not read them are told that there is none. */
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
      summary: 'Cancel the automatic merge of a merge request',
      gate,
      params: oneRequest,
      responses: { 201: schema.Canceled },
      handle: ({ caller, subject, params }) => cancelAutoMerge(services, caller, subject, params.merge_request_iid),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/rebase',
      tag,
      summary: 'Put the source of a merge request on top of its target',
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
      summary: 'Get the commit that merging would make',
      gate: gates.project('read_project'),
      params: oneRequest,
      responses: { 200: schema.MergeRef },
      handle: ({ subject, params }) => getMergeRef(services, subject, params.merge_request_iid),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/default_messages',
      tag,
      // Not in the documents, whose own pages ask elsewhere: what a form to merge begins with.
      summary: 'Get the commit messages that merging would leave',
      gate,
      params: oneRequest,
      responses: { 200: schema.DefaultMessages },
      handle: ({ caller, subject, params }) => defaultMessages(services, caller, subject, params.merge_request_iid),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/merge_ref',
      tag,
      // Not in the documents; published clients ask for it in this way.
      summary: 'Make the commit that merging would make, and get it',
      gate,
      params: oneRequest,
      responses: { 200: schema.MergeRef },
      handle: ({ subject, params }) => getMergeRef(services, subject, params.merge_request_iid),
    }),
  ];
}
