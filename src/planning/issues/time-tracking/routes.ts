import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { TimeStats } from '../../time-tracking/public.ts';
import { oneIssue } from '../schema.ts';
import * as service from './service.ts';

const tag = 'issues';
const duration = { duration: required(param.string({ description: 'Duration, such as 3h30m' })) };

export function issueTimeRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_issue', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/time_stats',
      tag,
      summary: 'Get time tracking statistics of an issue',
      gate: gates.project('read_issue'),
      params: oneIssue,
      responses: { 200: TimeStats },
      handle: ({ caller, subject, params }) => service.timeStats(services, caller, subject, params.issue_iid),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/time_estimate',
      tag,
      summary: 'Set the time estimate of an issue',
      gate,
      params: { ...oneIssue, ...duration },
      responses: { 200: TimeStats },
      handle: ({ caller, subject, params }) =>
        service.setEstimate([services, caller, subject, params.issue_iid], params.duration),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/reset_time_estimate',
      tag,
      summary: 'Reset the time estimate of an issue',
      gate,
      params: oneIssue,
      responses: { 200: TimeStats },
      handle: ({ caller, subject, params }) => service.setEstimate([services, caller, subject, params.issue_iid], '0'),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/add_spent_time',
      tag,
      summary: 'Add time spent on an issue',
      gate,
      params: { ...oneIssue, ...duration, summary: param.string() },
      responses: { 200: TimeStats },
      handle: ({ caller, subject, params }) =>
        service.addSpentTime([services, caller, subject, params.issue_iid], params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/reset_spent_time',
      tag,
      summary: 'Reset the time spent on an issue',
      gate,
      params: oneIssue,
      responses: { 200: TimeStats },
      handle: ({ caller, subject, params }) => service.resetSpentTime([services, caller, subject, params.issue_iid]),
    }),
  ];
}
