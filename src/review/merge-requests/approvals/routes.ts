import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneRequest } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'merge_request_approvals';

/** Routes for the approvals of a merge request. */
export function approvalRoutes(services: Services, gates: Gates): Route[] {
  const signedIn = gates.project('read_merge_request', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/approvals',
      tag,
      summary: 'Get approvals of a merge request',
      gate: gates.project('read_merge_request'),
      params: oneRequest,
      responses: { 200: schema.Approvals },
      handle: ({ caller, subject, params }) =>
        service.getApprovals(services, caller, subject, params.merge_request_iid),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/approvals',
      tag,
      summary: 'Set the number of approvals a merge request requires',
      gate: gates.project('admin_merge_request'),
      params: schema.requiredApprovals,
      responses: { 201: schema.Approvals },
      handle: ({ caller, subject, params }) => service.requireApprovals(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/approve',
      tag,
      summary: 'Approve a merge request',
      gate: signedIn,
      params: schema.approve,
      responses: { 201: schema.Approvals },
      handle: ({ caller, subject, params }) => service.approve(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/unapprove',
      tag,
      summary: 'Unapprove a merge request',
      gate: signedIn,
      params: oneRequest,
      responses: { 201: schema.Approvals },
      handle: ({ caller, subject, params }) => service.unapprove(services, caller, subject, params.merge_request_iid),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/reset_approvals',
      tag,
      summary: 'Reset approvals of a merge request',
      gate: gates.project('read_project', { signedIn: true }),
      params: oneRequest,
      responses: { 202: Type.Integer() },
      handle: ({ caller, subject, params }) =>
        service.resetApprovals(services, caller, subject, params.merge_request_iid),
    }),
  ];
}
