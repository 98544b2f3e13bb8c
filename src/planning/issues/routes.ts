import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { BasicUser } from '../../people/users/public.ts';
import { atLeastOneOf, mutuallyExclusive } from '../../platform/http/params.ts';
import { Todo } from '../todos/public.ts';
import { UserAgentDetail } from '../user-agents/public.ts';
import { createIssue } from './changes/create.ts';
import { updateIssue } from './changes/edit.ts';
import { issueStatistics, listIssues } from './lists/browse.ts';
import { reorderIssue } from './order/service.ts';
import * as people from './people.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'issues';

export function issueRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_issue');
  const signedIn = gates.project('read_issue', { signedIn: true });
  return [
    ...listRoutes(services, gates),
    route({
      method: 'POST',
      path: '/projects/:id/issues',
      tag,
      summary: 'Create an issue',
      gate: gates.project('create_issue'),
      params: schema.newIssue,
      rules: [mutuallyExclusive('epic_id', 'epic_iid')],
      responses: { 201: schema.Issue },
      handle: ({ caller, subject, params }) => createIssue(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid',
      tag,
      summary: 'Get an issue',
      gate: reading,
      jobToken: true,
      params: schema.oneIssue,
      responses: { 200: schema.Issue },
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
      responses: { 200: schema.Issue },
      handle: ({ caller, subject, params }) => updateIssue(services, caller, subject, params.issue_iid, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/issues/:issue_iid',
      tag,
      summary: 'Delete an issue',
      gate: signedIn,
      params: schema.oneIssue,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteIssue(services, caller, subject, params.issue_iid, request),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/issues/:issue_iid/reorder',
      tag,
      summary: 'Reorder an issue',
      gate: signedIn,
      params: schema.reordering,
      rules: [atLeastOneOf('move_after_id', 'move_before_id')],
      responses: { 200: schema.Issue },
      handle: ({ caller, subject, params }) => reorderIssue(services, caller, subject, params.issue_iid, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/subscribe',
      tag,
      summary: 'Subscribe to an issue',
      gate: signedIn,
      params: schema.oneIssue,
      responses: { 200: schema.Issue, 304: null },
      handle: ({ caller, subject, params }) => people.setSubscribed(services, caller, subject, params.issue_iid, true),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/unsubscribe',
      tag,
      summary: 'Unsubscribe from an issue',
      gate: signedIn,
      params: schema.oneIssue,
      responses: { 200: schema.Issue, 304: null },
      handle: ({ caller, subject, params }) => people.setSubscribed(services, caller, subject, params.issue_iid, false),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/todo',
      tag,
      summary: 'Create a to-do item for an issue',
      gate: signedIn,
      params: schema.oneIssue,
      responses: { 200: Todo, 304: null },
      handle: ({ caller, subject, params }) => people.createIssueTodo(services, caller, subject, params.issue_iid),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/participants',
      tag,
      summary: 'List participants of an issue',
      gate: reading,
      params: schema.oneIssue,
      paginated: true,
      responses: { 200: Type.Array(BasicUser) },
      handle: ({ caller, subject, params, page }) =>
        people.listParticipants(services, caller, subject, params.issue_iid, page),
    }),
  ];
}

/** Removes the path parameter from the filters. */
function filtersOf<P extends { id: string }>({ id, ...filters }: P): Omit<P, 'id'> {
  return filters;
}

function listRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/issues',
      tag,
      summary: 'List issues',
      gate: gates.anyone,
      params: schema.allIssues,
      rules: schema.listRules,
      paginated: true,
      responses: { 200: Type.Array(schema.Issue) },
      handle: ({ caller, params, page }) => listIssues(services, caller, null, params, page),
    }),
    route({
      method: 'GET',
      path: '/issues/:id',
      tag,
      summary: 'Get an issue by its global ID',
      gate: gates.admin,
      params: schema.anyIssue,
      responses: { 200: schema.Issue },
      handle: ({ caller, params }) => service.getAnyIssue(services, caller, params.id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/user_agent_detail',
      tag,
      summary: 'Get user agent details of an issue',
      gate: gates.admin,
      params: schema.oneIssue,
      responses: { 200: UserAgentDetail },
      handle: ({ caller, params }) => service.userAgentOf(services, caller, params.id, params.issue_iid),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/issues',
      tag,
      summary: 'List issues of a group',
      gate: gates.group('read_group'),
      params: schema.groupIssues,
      rules: schema.listRules,
      paginated: true,
      responses: { 200: Type.Array(schema.Issue) },
      handle: ({ caller, subject, params, page }) => listIssues(services, caller, subject, filtersOf(params), page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues',
      tag,
      summary: 'List issues of a project',
      gate: gates.project('read_issue'),
      jobToken: true,
      params: schema.projectIssues,
      rules: schema.listRules,
      paginated: true,
      responses: { 200: Type.Array(schema.Issue) },
      handle: ({ caller, subject, params, page }) => listIssues(services, caller, subject, filtersOf(params), page),
    }),
    route({
      method: 'GET',
      path: '/issues_statistics',
      tag,
      summary: 'Get issue statistics',
      gate: gates.anyone,
      params: schema.allIssues,
      rules: schema.listRules,
      responses: { 200: schema.IssueStatistics },
      handle: ({ caller, params }) => issueStatistics(services, caller, null, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/issues_statistics',
      tag,
      summary: 'Get issue statistics of a group',
      gate: gates.group('read_group'),
      params: schema.groupIssues,
      rules: schema.listRules,
      responses: { 200: schema.IssueStatistics },
      handle: ({ caller, subject, params }) => issueStatistics(services, caller, subject, filtersOf(params)),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues_statistics',
      tag,
      summary: 'Get issue statistics of a project',
      gate: gates.project('read_issue'),
      params: schema.projectIssues,
      rules: schema.listRules,
      responses: { 200: schema.IssueStatistics },
      handle: ({ caller, subject, params }) => issueStatistics(services, caller, subject, filtersOf(params)),
    }),
  ];
}
