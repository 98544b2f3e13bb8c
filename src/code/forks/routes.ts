import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as params from '../../namespaces/projects/params.ts';
import { Project } from '../../namespaces/projects/schema.ts';
import * as life from '../../namespaces/projects/service.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { param, required } from '../../platform/http/params.ts';
import { unlinkFork } from './relation.ts';

const tag = 'projects';

/** `/projects/:id/fork`; the list of forks is with the other lists. */
export function forkRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/projects/:id/fork',
      tag,
      summary: 'Fork a project',
      gate: gates.project('fork_project', {
        refusal: (subject) => (subject.can('fork_project') ? undefined : new NotFound()),
      }),
      params: params.fork,
      answers: { 201: Project },
      handle: ({ caller, subject, params }) => life.fork(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/fork/:forked_from_id',
      tag,
      summary: 'Say that a project is a fork of another',
      gate: gates.project('link_fork'),
      params: { ...params.project, forked_from_id: required(param.string()) },
      answers: { 201: Project },
      handle: ({ caller, subject, params }) => life.linkTo(services, caller, subject, params.forked_from_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/fork',
      tag,
      summary: 'Take a project out of its network of forks',
      gate: gates.project('link_fork'),
      params: params.project,
      answers: { 204: null, 304: null },
      handle: ({ subject }) => unlinkFork(services, subject),
    }),
  ];
}
