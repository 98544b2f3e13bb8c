import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneEpic } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'epics';

/** Routes for the issues of an epic. */
export function epicIssueRoutes(services: Services, gates: Gates): Route[] {
  const signedIn = gates.group('read_epic', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid/issues',
      tag,
      summary: 'List issues of an epic',
      gate: gates.group('read_epic'),
      params: oneEpic,
      paginated: true,
      responses: { 200: Type.Array(schema.EpicIssue) },
      handle: ({ caller, subject, params, page }) =>
        service.listEpicIssues(services, caller, subject, params.epic_iid, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epics/:epic_iid/issues/:issue_id',
      tag,
      summary: 'Assign an issue to an epic',
      gate: signedIn,
      params: schema.oneIssue,
      responses: { 201: schema.EpicIssueLink },
      handle: ({ caller, subject, params }) =>
        service.addIssue(services, caller, subject, params.epic_iid, params.issue_id),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/epics/:epic_iid/issues/:epic_issue_id',
      tag,
      summary: 'Reorder an issue in an epic',
      gate: signedIn,
      params: { ...schema.oneLink, ...schema.placing },
      paginated: true,
      responses: { 200: Type.Array(schema.EpicIssue) },
      handle: ({ caller, subject, params, page }) => service.moveIssue(services, caller, subject, params, page),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/epics/:epic_iid/issues/:epic_issue_id',
      tag,
      summary: 'Remove an issue from an epic',
      gate: signedIn,
      params: schema.oneLink,
      responses: { 200: schema.EpicIssueLink },
      handle: ({ caller, subject, params }) =>
        service.removeIssue(services, caller, subject, params.epic_iid, params.epic_issue_id),
    }),
  ];
}
