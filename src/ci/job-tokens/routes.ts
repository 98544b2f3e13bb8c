import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { BasicProject } from '../../namespaces/projects/public.ts';
import { Job } from '../jobs/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'job token scope';

export function jobTokenRoutes(services: Services, gates: Gates): Route[] {
  return [...ownJobRoutes(services, gates), ...scopeRoutes(services, gates), ...allowlistRoutes(services, gates)];
}

function ownJobRoutes(services: Services, gates: Gates): Route[] {
  const own = { method: 'GET', tag: 'jobs', gate: gates.signedIn, jobToken: true, params: {} } as const;
  return [
    route({
      ...own,
      path: '/job',
      summary: 'Get the job of a job token',
      responses: { 200: Job },
      handle: ({ caller }) => service.ownJob(services, caller),
    }),
    route({
      ...own,
      path: '/job/allowed_agents',
      summary: 'List allowed cluster agents by job token',
      responses: { 200: schema.AllowedAgents },
      handle: ({ caller }) => service.allowedAgents(services, caller),
    }),
  ];
}

function scopeRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_project');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/job_token_scope',
      tag,
      summary: 'Get CI/CD job token access settings of a project',
      gate,
      params: schema.project,
      responses: { 200: schema.JobTokenScope },
      handle: ({ subject }) => service.scopeOf(services, subject),
    }),
    route({
      method: 'PATCH',
      path: '/projects/:id/job_token_scope',
      tag,
      summary: 'Update CI/CD job token access settings of a project',
      gate,
      params: schema.scope,
      responses: { 204: null },
      handle: ({ subject, params }) => service.restrict(services, subject, params.enabled),
    }),
  ];
}

function allowlistRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_project');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/job_token_scope/allowlist',
      tag,
      summary: 'List projects in the CI/CD job token allowlist',
      gate,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(BasicProject) },
      handle: ({ caller, subject, page }) => service.listProjects(services, caller, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/job_token_scope/allowlist',
      tag,
      summary: 'Add a project to the CI/CD job token allowlist',
      gate,
      params: schema.newProject,
      responses: { 201: schema.AllowedProject },
      handle: ({ caller, subject, params }) => service.addProject(services, caller, subject, params.target_project_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/job_token_scope/allowlist/:target_project_id',
      tag,
      summary: 'Remove a project from the CI/CD job token allowlist',
      gate,
      params: schema.newProject,
      responses: { 204: null },
      handle: ({ subject, params: { target_project_id } }) => service.remove(services, subject, { target_project_id }),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/job_token_scope/groups_allowlist',
      tag,
      summary: 'List groups in the CI/CD job token allowlist',
      gate,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.AllowedGroup) },
      handle: ({ subject, page }) => service.listGroups(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/job_token_scope/groups_allowlist',
      tag,
      summary: 'Add a group to the CI/CD job token allowlist',
      gate,
      params: schema.newGroup,
      responses: { 201: schema.NewAllowedGroup },
      handle: ({ caller, subject, params }) => service.addGroup(services, caller, subject, params.target_group_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/job_token_scope/groups_allowlist/:target_group_id',
      tag,
      summary: 'Remove a group from the CI/CD job token allowlist',
      gate,
      params: schema.newGroup,
      responses: { 204: null },
      handle: ({ subject, params: { target_group_id } }) => service.remove(services, subject, { target_group_id }),
    }),
  ];
}
