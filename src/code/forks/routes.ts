import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import {
  forkListParams,
  listProjects,
  Project,
  presentChanged,
  projectParam,
  VisibleProject,
} from '../../namespaces/projects/public.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { param, required } from '../../platform/http/params.ts';
import { linkFork, unlinkFork } from './relation.ts';
import { forkParams } from './schema.ts';
import { forkProject } from './service.ts';

const tag = 'projects';

/** `/projects/:id/fork` and `/projects/:id/forks`. */
export function forkRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/forks',
      tag,
      summary: 'List forks of a project',
      gate: gates.project('read_project'),
      params: { ...projectParam, ...forkListParams },
      paginated: true,
      responses: { 200: Type.Array(VisibleProject) },
      handle: ({ caller, subject, params, page, sent }) => {
        const request = { options: params, slice: page, keyset: sent.pagination === 'keyset' };
        return listProjects(services, caller, request, { forksOf: subject.project.id });
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/fork',
      tag,
      summary: 'Fork a project',
      gate: gates.project('fork_project', {
        refusal: (subject) => (subject.can('fork_project') ? undefined : new NotFound()),
      }),
      params: forkParams,
      responses: { 201: Project },
      handle: ({ caller, subject, params }) =>
        presentChanged(services, caller, forkProject(services, caller, subject, params)),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/fork/:forked_from_id',
      tag,
      summary: 'Create a fork relationship between projects',
      gate: gates.project('link_fork'),
      params: { ...projectParam, forked_from_id: required(param.string()) },
      responses: { 201: Project },
      handle: ({ caller, subject, params }) =>
        presentChanged(services, caller, linkFork(services, caller, subject, params.forked_from_id)),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/fork',
      tag,
      summary: 'Delete a fork relationship between projects',
      gate: gates.project('link_fork'),
      params: projectParam,
      responses: { 204: null, 304: null },
      handle: ({ caller, subject }) => unlinkFork(services, caller, subject),
    }),
  ];
}
