import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as listing from './listing.ts';
import * as locks from './lock.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'terraform states';
/** Terraform supports only HTTP basic authentication. */
const callers = { jobToken: true, basicAuth: true } as const;
const content = Type.String({ format: 'binary' });

/** The API of the Terraform and OpenTofu HTTP backend. */
export function terraformRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...stateRoutes(services, gates),
    ...lockRoutes(services, gates),
    ...versionRoutes(services, gates),
    ...listingRoutes(services, gates),
  ];
}

/** Listings for users; Terraform itself does not request them. */
function listingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_terraform_state', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/terraform/states',
      tag,
      summary: 'List Terraform states of a project',
      gate,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.State) },
      handle: ({ subject, page }) => listing.listStates(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/terraform/states/:name',
      tag,
      summary: 'Get details of a Terraform state',
      gate,
      params: schema.state,
      responses: { 200: schema.State },
      handle: ({ subject, params }) => listing.describeState(services, subject, params.name),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/terraform/states/:name/versions',
      tag,
      summary: 'List versions of a Terraform state',
      gate,
      params: schema.state,
      paginated: true,
      responses: { 200: Type.Array(schema.StateVersion) },
      handle: ({ subject, params, page }) => listing.listVersions(services, subject, params.name, page),
    }),
  ];
}

function stateRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/terraform/state/:name',
      tag,
      summary: 'Get a Terraform state',
      gate: gates.project('read_terraform_state', { signedIn: true }),
      params: schema.writing,
      ...callers,
      responses: { 200: content, 204: null },
      handle: ({ subject, params, reply }) => service.sendLatest(services, subject, params.name, reply),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/terraform/state/:name',
      tag,
      summary: 'Create or update a Terraform state',
      gate: gates.project('admin_terraform_state'),
      params: schema.writing,
      rawBody: true,
      ...callers,
      responses: { 200: null, 204: null },
      handle: async ({ caller, subject, params, request, reply }) => {
        const taken = await service.storeState(services, caller, subject, params, request);
        return reply.code(taken ? 200 : 204).send();
      },
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/terraform/state/:name',
      tag,
      summary: 'Delete a Terraform state',
      gate: gates.project('admin_terraform_state'),
      params: schema.writing,
      ...callers,
      responses: { 200: null },
      handle: ({ subject, params }) => service.deleteState(services, subject, params.name),
    }),
  ];
}

function lockRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_terraform_state');
  return [
    route({
      method: 'POST',
      path: '/projects/:id/terraform/state/:name/lock',
      tag,
      summary: 'Lock a Terraform state',
      gate,
      params: schema.locking,
      ...callers,
      responses: { 200: schema.Lock, 409: schema.Lock },
      handle: async ({ caller, subject, params, reply }) => {
        service.checkLength('name', params.name);
        service.checkLength('ID', params.ID);
        const { taken, lock } = await locks.lockState(services, caller, subject, params);
        reply.code(taken ? 200 : 409);
        return lock;
      },
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/terraform/state/:name/lock',
      tag,
      summary: 'Unlock a Terraform state',
      gate,
      params: schema.writing,
      ...callers,
      responses: { 200: null },
      handle: ({ subject, params }) => locks.unlockState(services, subject, params.name, params.ID),
    }),
  ];
}

function versionRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/terraform/state/:name/versions/:serial',
      tag,
      summary: 'Get a version of a Terraform state',
      gate: gates.project('read_terraform_state', { signedIn: true }),
      params: schema.version,
      ...callers,
      responses: { 200: content },
      handle: ({ subject, params, reply }) => service.sendVersion(services, subject, params.name, params.serial, reply),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/terraform/state/:name/versions/:serial',
      tag,
      summary: 'Delete a version of a Terraform state',
      gate: gates.project('admin_terraform_state'),
      params: schema.version,
      ...callers,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteVersion(services, subject, params.name, params.serial),
    }),
  ];
}
