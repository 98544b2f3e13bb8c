import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { promoteMilestone } from './promote.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'milestones';

export function milestoneRoutes(services: Services, gates: Gates): Route[] {
  return [...projectMilestoneRoutes(services, gates), ...groupMilestoneRoutes(services, gates)];
}

function projectMilestoneRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_milestone', { signedIn: true });
  const managing = gates.project('admin_milestone');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/milestones',
      tag,
      summary: 'List project milestones',
      gate: reading,
      params: schema.projectListed,
      rules: schema.listRules,
      paginated: true,
      responses: { 200: Type.Array(schema.Milestone) },
      handle: ({ caller, subject, params: { id: _, ...params }, page }) =>
        service.listMilestones(services, caller, subject, params, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/milestones',
      tag,
      summary: 'Create a project milestone',
      gate: managing,
      params: schema.newMilestone,
      responses: { 201: schema.Milestone },
      handle: ({ caller, subject, params }) => service.createMilestone(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/milestones/:milestone_id',
      tag,
      summary: 'Get a project milestone',
      gate: reading,
      params: schema.oneMilestone,
      responses: { 200: schema.Milestone },
      handle: ({ subject, params }) => service.getMilestone(services, subject, params.milestone_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/milestones/:milestone_id',
      tag,
      summary: 'Update a project milestone',
      gate: managing,
      params: schema.milestoneChange,
      rules: schema.changeRules,
      responses: { 200: schema.Milestone },
      handle: ({ caller, subject, params }) =>
        service.updateMilestone(services, caller, subject, params.milestone_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/milestones/:milestone_id',
      tag,
      summary: 'Delete a project milestone',
      gate: managing,
      params: schema.oneMilestone,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteMilestone(services, caller, subject, params.milestone_id, request),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/milestones/:milestone_id/promote',
      tag,
      summary: 'Promote a project milestone to a group milestone',
      gate: managing,
      params: schema.oneMilestone,
      responses: { 200: Type.Literal(200) },
      handle: ({ caller, subject, params }) => promoteMilestone(services, caller, subject, params.milestone_id),
    }),
  ];
}

function groupMilestoneRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_milestone', { signedIn: true });
  const managing = gates.group('admin_milestone');
  return [
    route({
      method: 'GET',
      path: '/groups/:id/milestones',
      tag,
      summary: 'List group milestones',
      gate: reading,
      params: schema.groupListed,
      rules: schema.listRules,
      paginated: true,
      responses: { 200: Type.Array(schema.Milestone) },
      handle: ({ caller, subject, params: { id: _, ...params }, page }) =>
        service.listMilestones(services, caller, subject, params, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/milestones',
      tag,
      summary: 'Create a group milestone',
      gate: managing,
      params: schema.newMilestone,
      responses: { 201: schema.Milestone },
      handle: ({ caller, subject, params }) => service.createMilestone(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/milestones/:milestone_id',
      tag,
      summary: 'Get a group milestone',
      gate: reading,
      params: schema.oneMilestone,
      responses: { 200: schema.Milestone },
      handle: ({ subject, params }) => service.getMilestone(services, subject, params.milestone_id),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/milestones/:milestone_id',
      tag,
      summary: 'Update a group milestone',
      gate: managing,
      params: schema.milestoneChange,
      rules: schema.changeRules,
      responses: { 200: schema.Milestone },
      handle: ({ caller, subject, params }) =>
        service.updateMilestone(services, caller, subject, params.milestone_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/milestones/:milestone_id',
      tag,
      summary: 'Delete a group milestone',
      gate: managing,
      params: schema.oneMilestone,
      responses: { 204: null },
      handle: ({ caller, subject, params, request }) =>
        service.deleteMilestone(services, caller, subject, params.milestone_id, request),
    }),
  ];
}
