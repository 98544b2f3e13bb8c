import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneIssue } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'issues';

/** Routes for links between issues. */
export function issueLinkRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_issue', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/links',
      tag,
      summary: 'List linked issues',
      gate: gates.project('read_issue'),
      params: oneIssue,
      responses: { 200: Type.Array(schema.RelatedIssue) },
      handle: ({ caller, subject, params }) => service.listLinks(services, caller, subject, params.issue_iid),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/links',
      tag,
      summary: 'Create an issue link',
      gate,
      params: schema.newLink,
      responses: { 201: schema.IssueLink },
      handle: ({ caller, subject, params }) => service.createLink(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/links/:issue_link_id',
      tag,
      summary: 'Get an issue link',
      gate: gates.project('read_issue'),
      params: schema.oneLink,
      responses: { 200: schema.IssueLink },
      handle: ({ caller, subject, params }) =>
        service.getLink(services, caller, subject, params.issue_iid, params.issue_link_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/issues/:issue_iid/links/:issue_link_id',
      tag,
      summary: 'Delete an issue link',
      gate,
      params: schema.oneLink,
      responses: { 200: schema.IssueLink },
      handle: ({ caller, subject, params }) =>
        service.deleteLink(services, caller, subject, params.issue_iid, params.issue_link_id),
    }),
  ];
}
