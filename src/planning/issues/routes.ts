import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { atLeastOneOf, mutuallyExclusive } from '../../platform/http/params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'issues';

export function issueRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_issue');
  const signedIn = gates.project('read_issue', { signedIn: true });
  return [
    route({
      method: 'POST',
      path: '/projects/:id/issues',
      tag,
      summary: 'Create an issue',
      gate: gates.project('create_issue'),
      params: schema.newIssue,
      rules: [mutuallyExclusive('epic_id', 'epic_iid')],
      answers: { 201: schema.Issue },
      handle: ({ caller, subject, params }) => service.createIssue(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid',
      tag,
      summary: 'Get an issue',
      gate: reading,
      params: schema.oneIssue,
      answers: { 200: schema.Issue },
      handle: ({ caller, subject, params }) => service.getIssue(services, caller, subject, params.issue_iid),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/issues/:issue_iid',
      tag,
      summary: 'Update an issue',
      gate: signedIn,
      params: schema.issueChange,
      rules: [atLeastOneOf(...schema.changing), mutuallyExclusive('epic_id', 'epic_iid')],
      answers: { 200: schema.Issue },
      handle: ({ caller, subject, params }) => service.updateIssue(services, caller, subject, params.issue_iid, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/issues/:issue_iid',
      tag,
      summary: 'Delete an issue',
      gate: signedIn,
      params: schema.oneIssue,
      answers: { 204: null },
      handle: ({ caller, subject, params }) => service.deleteIssue(services, caller, subject, params.issue_iid),
    }),
  ];
}
