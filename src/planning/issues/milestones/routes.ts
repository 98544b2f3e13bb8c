import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneMilestone } from '../../milestones/public.ts';
import { IssueBasic } from '../schema.ts';
import { BurndownEvent } from './schema.ts';
import * as service from './service.ts';

const tag = 'milestones';

/** Routes for the issues of project and group milestones. */
export function milestoneIssueRoutes(services: Services, gates: Gates): Route[] {
  const ofProject = gates.project('read_milestone', { signedIn: true });
  const ofGroup = gates.group('read_milestone', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/milestones/:milestone_id/issues',
      tag,
      summary: 'List issues of a project milestone',
      gate: ofProject,
      params: oneMilestone,
      paginated: true,
      responses: { 200: Type.Array(IssueBasic) },
      handle: ({ caller, subject, params, page }) =>
        service.listMilestoneIssues(services, caller, subject, params.milestone_id, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/milestones/:milestone_id/issues',
      tag,
      summary: 'List issues of a group milestone',
      gate: ofGroup,
      params: oneMilestone,
      paginated: true,
      responses: { 200: Type.Array(IssueBasic) },
      handle: ({ caller, subject, params, page }) =>
        service.listMilestoneIssues(services, caller, subject, params.milestone_id, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/milestones/:milestone_id/burndown_events',
      tag,
      summary: 'List burndown chart events of a project milestone',
      gate: ofProject,
      params: oneMilestone,
      paginated: true,
      responses: { 200: Type.Array(BurndownEvent) },
      handle: ({ caller, subject, params, page }) =>
        service.listBurndownEvents(services, caller, subject, params.milestone_id, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/milestones/:milestone_id/burndown_events',
      tag,
      summary: 'List burndown chart events of a group milestone',
      gate: ofGroup,
      params: oneMilestone,
      paginated: true,
      responses: { 200: Type.Array(BurndownEvent) },
      handle: ({ caller, subject, params, page }) =>
        service.listBurndownEvents(services, caller, subject, params.milestone_id, page),
    }),
  ];
}
