import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Issue } from '../../../planning/issues/public.ts';
import { param, required } from '../../../platform/http/params.ts';
import { MergeRequestBasic, oneRequest, project } from '../schema.ts';
import { listClosed, listOfIssue, listRelated } from './browse.ts';

const tag = 'merge_requests';
const oneIssue = {
  ...project,
  issue_iid: required(param.integer({ description: 'IID of the merge request or issue' })),
};

/** Routes for the relation between merge requests and the issues they close. */
export function closingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_merge_request');
  const ofIssue = gates.project('read_issue');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/closes_issues',
      tag,
      summary: 'List issues that a merge request closes',
      gate,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(Issue) },
      handle: ({ caller, subject, params, page }) =>
        listClosed(services, caller, subject, params.merge_request_iid, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/related_issues',
      tag,
      summary: 'List issues related to a merge request',
      gate,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(Issue) },
      handle: ({ caller, subject, params, page }) =>
        listRelated(services, caller, subject, params.merge_request_iid, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/closed_by',
      tag,
      summary: 'List merge requests that close an issue',
      gate: ofIssue,
      params: oneIssue,
      paginated: true,
      responses: { 200: Type.Array(MergeRequestBasic) },
      handle: ({ caller, subject, params, page }) =>
        listOfIssue(services, caller, subject, params.issue_iid, 'closing', page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/related_merge_requests',
      tag,
      summary: 'List merge requests related to an issue',
      gate: ofIssue,
      params: oneIssue,
      paginated: true,
      responses: { 200: Type.Array(MergeRequestBasic) },
      handle: ({ caller, subject, params, page }) =>
        listOfIssue(services, caller, subject, params.issue_iid, 'mentioning', page),
    }),
  ];
}
