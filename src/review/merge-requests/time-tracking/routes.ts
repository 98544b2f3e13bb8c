import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { TimeStats } from '../../../planning/time-tracking/public.ts';
import { param, required } from '../../../platform/http/params.ts';
import { oneRequest } from '../schema.ts';
import * as service from './service.ts';

const tag = 'merge_requests';
const duration = { duration: required(param.string({ description: 'Duration, such as 3h30m' })) };

export function requestTimeRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_merge_request', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/time_stats',
      tag,
      summary: 'Get time tracking statistics of a merge request',
      gate: gates.project('read_merge_request'),
      params: oneRequest,
      responses: { 200: TimeStats },
      handle: ({ subject, params }) => service.timeStats(services, subject, params.merge_request_iid),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/time_estimate',
      tag,
      summary: 'Set the time estimate of a merge request',
      gate,
      params: { ...oneRequest, ...duration },
      responses: { 200: TimeStats },
      handle: ({ caller, subject, params }) =>
        service.setEstimate([services, caller, subject, params.merge_request_iid], params.duration),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/reset_time_estimate',
      tag,
      summary: 'Reset the time estimate of a merge request',
      gate,
      params: oneRequest,
      responses: { 200: TimeStats },
      handle: ({ caller, subject, params }) =>
        service.setEstimate([services, caller, subject, params.merge_request_iid], '0'),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/add_spent_time',
      tag,
      summary: 'Add time spent on a merge request',
      gate,
      params: { ...oneRequest, ...duration, summary: param.string() },
      responses: { 201: TimeStats },
      handle: ({ caller, subject, params }) =>
        service.addSpentTime([services, caller, subject, params.merge_request_iid], params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/reset_spent_time',
      tag,
      summary: 'Reset the time spent on a merge request',
      gate,
      params: oneRequest,
      responses: { 200: TimeStats },
      handle: ({ caller, subject, params }) =>
        service.resetSpentTime([services, caller, subject, params.merge_request_iid]),
    }),
  ];
}
