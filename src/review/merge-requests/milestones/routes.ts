import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import type { ProjectOrGroup } from '../../../access/project-or-group.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneMilestone } from '../../../planning/milestones/public.ts';
import type { PageRequest } from '../../../platform/http/pages/pagination.ts';
import { MergeRequestBasic } from '../schema.ts';
import { listMilestoneRequests } from './service.ts';

const tag = 'milestones';

/** Routes for the merge requests of project and group milestones. */
export function milestoneRequestRoutes(services: Services, gates: Gates): Route[] {
  const listed = (
    caller: SignedInActor,
    place: ProjectOrGroup,
    { milestone_id }: { milestone_id: number },
    page: PageRequest,
  ) => listMilestoneRequests(services, caller, place, milestone_id, page);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/milestones/:milestone_id/merge_requests',
      tag,
      summary: 'List merge requests of a project milestone',
      gate: gates.project('read_milestone', { signedIn: true }),
      params: oneMilestone,
      paginated: true,
      responses: { 200: Type.Array(MergeRequestBasic) },
      handle: ({ caller, subject, params, page }) => listed(caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/milestones/:milestone_id/merge_requests',
      tag,
      summary: 'List merge requests of a group milestone',
      gate: gates.group('read_milestone', { signedIn: true }),
      params: oneMilestone,
      paginated: true,
      responses: { 200: Type.Array(MergeRequestBasic) },
      handle: ({ caller, subject, params, page }) => listed(caller, subject, params, page),
    }),
  ];
}
