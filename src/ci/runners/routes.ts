import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { BasicProject } from '../../namespaces/projects/public.ts';
import { atLeastOneOf, mutuallyExclusive, param, required } from '../../platform/http/params.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { RunnerJob } from '../jobs/public.ts';
import { listRunnerJobs } from './jobs.ts';
import * as protocol from './protocol.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'runners';
const manage = ['manage_runner'];
const listed = { 200: Type.Array(schema.Runner) };
const project = { id: required(param.string({ description: 'ID or URL-encoded path' })) };

export function runnerRoutes(services: Services, gates: Gates): Route[] {
  return [...listRoutes(services, gates), ...manageRoutes(services, gates), ...protocolRoutes(services, gates)];
}

function withoutId<P extends { id: string }>({ id, ...filters }: P): Omit<P, 'id'> {
  return filters;
}

function listRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/runners',
      tag,
      summary: 'List runners available to the user',
      gate: gates.signedIn,
      params: schema.someRunners,
      paginated: true,
      responses: listed,
      handle: ({ caller, params, page }) => service.listOwnRunners(services, caller, params, page),
    }),
    route({
      method: 'GET',
      path: '/runners/all',
      tag,
      summary: 'List all runners',
      gate: gates.auditor,
      params: schema.someRunners,
      paginated: true,
      responses: listed,
      handle: ({ params, page }) => service.listAllRunners(services, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/runners',
      tag,
      summary: 'List runners available to a project',
      gate: gates.project('read_runner'),
      params: schema.runnersOfOwner,
      paginated: true,
      responses: listed,
      handle: ({ subject, params, page }) => service.listRunnersOf(services, subject, withoutId(params), page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/runners',
      tag,
      summary: 'List runners available to a group',
      gate: gates.group('read_runner'),
      params: schema.runnersOfOwner,
      paginated: true,
      responses: listed,
      handle: ({ subject, params, page }) => service.listRunnersOf(services, subject, withoutId(params), page),
    }),
  ];
}

function manageRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/user/runners',
      tag,
      summary: 'Create a runner',
      gate: gates.signedIn,
      scopes: ['create_runner'],
      params: schema.newRunner,
      responses: { 201: schema.Registration },
      handle: ({ caller, params }) => service.createRunner(services, caller, params),
    }),
    route({
      method: 'GET',
      path: '/runners/:id',
      tag,
      summary: 'Get a runner',
      gate: gates.signedIn,
      scopes: manage,
      params: schema.details,
      responses: { 200: schema.RunnerDetails },
      handle: ({ caller, params }) => service.getRunner(services, caller, params.id, params.include_projects),
    }),
    route({
      method: 'PUT',
      path: '/runners/:id',
      tag,
      summary: 'Update a runner',
      gate: gates.signedIn,
      scopes: manage,
      params: schema.runnerChange,
      rules: [atLeastOneOf(...schema.changing), mutuallyExclusive('active', 'paused')],
      responses: { 200: schema.RunnerDetails },
      handle: ({ caller, params }) => service.updateRunner(services, caller, params.id, params),
    }),
    route({
      method: 'DELETE',
      path: '/runners/:id',
      tag,
      summary: 'Delete a runner',
      gate: gates.signedIn,
      scopes: manage,
      params: schema.oneRunner,
      responses: { 204: null },
      handle: ({ caller, params, request }) =>
        service.deleteRunner(services, caller, params.id, (changedAt) => checkUnmodified(request, changedAt)),
    }),
    route({
      method: 'GET',
      path: '/runners/:id/managers',
      tag,
      summary: 'List managers of a runner',
      gate: gates.signedIn,
      scopes: manage,
      params: schema.oneRunner,
      paginated: true,
      responses: { 200: Type.Array(schema.RunnerManager) },
      handle: ({ caller, params, page }) => service.listManagers(services, caller, params.id, page),
    }),
    route({
      method: 'GET',
      path: '/runners/:id/projects',
      tag,
      summary: 'List projects of a runner',
      gate: gates.signedIn,
      scopes: manage,
      params: schema.oneRunner,
      paginated: true,
      responses: { 200: Type.Array(BasicProject) },
      handle: ({ caller, params, page }) => service.listProjectsOf(services, caller, params.id, page),
    }),
    route({
      method: 'GET',
      path: '/runners/:id/jobs',
      tag,
      summary: 'List jobs of a runner',
      gate: gates.signedIn,
      scopes: manage,
      params: schema.jobsOfOne,
      rules: [
        // Keyset pagination links carry `sort` without `order_by`, because there is only one order.
        ({ sort, order_by, cursor }) =>
          sort !== undefined && order_by === undefined && cursor === undefined ? 'order_by is missing' : undefined,
      ],
      paginated: true,
      responses: { 200: Type.Array(RunnerJob) },
      handle: ({ caller, params, page }) => listRunnerJobs(services, caller, params, page),
    }),
    route({
      method: 'POST',
      path: '/runners/:id/reset_authentication_token',
      tag,
      summary: 'Reset the authentication token of a runner',
      gate: gates.signedIn,
      scopes: manage,
      params: schema.oneRunner,
      responses: { 201: schema.NewToken },
      handle: ({ caller, params }) => service.resetToken(services, caller, params.id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/runners',
      tag,
      summary: 'Assign a runner to a project',
      gate: gates.project('admin_runner'),
      params: { ...project, runner_id: required(param.integer()) },
      responses: { 201: schema.Runner },
      handle: ({ caller, subject, params }) => service.enableRunner(services, caller, subject, params.runner_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/runners/:runner_id',
      tag,
      summary: 'Unassign a runner from a project',
      gate: gates.project('admin_runner'),
      params: { ...project, runner_id: required(param.integer()) },
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.disableRunner(services, caller, subject, params.runner_id),
    }),
  ];
}

/** Endpoints called by runners with their own token. */
function protocolRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/runners/verify',
      tag,
      summary: 'Verify the authentication token of a runner',
      gate: gates.anyone,
      params: schema.ofRunner,
      responses: { 200: schema.Registration },
      handle: ({ params: { token, ...contact }, request }) =>
        protocol.verifyRunner(services, token, contact, request.ip),
    }),
    route({
      method: 'DELETE',
      path: '/runners',
      tag,
      summary: 'Delete a runner by authentication token',
      gate: gates.anyone,
      params: { token: required(param.string()) },
      responses: { 204: null },
      handle: ({ params }) => protocol.unregisterRunner(services, params.token),
    }),
    route({
      method: 'DELETE',
      path: '/runners/managers',
      tag,
      summary: 'Delete a runner manager',
      gate: gates.anyone,
      params: schema.managerOfRunner,
      responses: { 204: null },
      handle: ({ params }) => protocol.unregisterManager(services, params.token, params.system_id),
    }),
    route({
      method: 'POST',
      path: '/runners/reset_authentication_token',
      tag,
      summary: 'Reset the authentication token of a runner with its current token',
      gate: gates.anyone,
      params: { token: required(param.string()) },
      responses: { 201: schema.NewToken },
      handle: ({ params }) => protocol.renewOwnToken(services, params.token),
    }),
  ];
}
