import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { Issue } from '../schema.ts';
import * as schema from './schema.ts';
import { cloneIssue, moveIssue } from './service.ts';

const tag = 'issues';

export function issueMovingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_issue', { signedIn: true });
  return [
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/move',
      tag,
      summary: 'Move an issue to another project',
      gate,
      params: schema.move,
      responses: { 201: Issue },
      handle: ({ caller, subject, params }) =>
        moveIssue(services, caller, subject, params.issue_iid, params.to_project_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/clone',
      tag,
      summary: 'Clone an issue',
      gate,
      params: schema.clone,
      responses: { 201: Issue },
      handle: ({ caller, subject, params }) => cloneIssue(services, caller, subject, params.issue_iid, params),
    }),
  ];
}
