import Type from 'typebox';
import type { Actor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { challengeFor, withChallenge } from '../basic-challenge.ts';
import { packageGate, publishingScopes, readingScopes } from '../gate.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { takeModule } from './upload.ts';

const tag = 'packages';
const reading = { tag, method: 'GET', jobToken: true, deployScopes: readingScopes } as const;
const bytes = { 200: Type.String({ format: 'binary' }) };

/** What Terraform and OpenTofu ask a registry of modules for, as they ask for it. */
export function terraformModuleRoutes(services: Services, gates: Gates): Route[] {
  return [...aboutRoutes(services, gates), ...downloadRoutes(services, gates), ...projectRoutes(services, gates)];
}

/** Who brings nothing is asked for a token, whether there is something or not. */
const nothing = (caller: Actor) => (error: unknown) => {
  throw challengeFor(caller, error);
};

function aboutRoutes(services: Services, { anyone: gate }: Gates): Route[] {
  return [
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/versions',
      summary: 'List the versions of a Terraform module',
      gate,
      params: schema.module,
      responses: { 200: schema.TerraformModuleVersions },
      handle: ({ caller, params }) => service.listVersions(services, caller, params).catch(nothing(caller)),
    }),
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system',
      summary: 'Get the latest version of a Terraform module',
      gate,
      params: schema.module,
      responses: { 200: schema.TerraformModule },
      handle: ({ caller, params }) => service.getModule(services, caller, params).catch(nothing(caller)),
    }),
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/:module_version',
      summary: 'Get a version of a Terraform module',
      gate,
      params: schema.moduleVersion,
      responses: { 200: schema.TerraformModule },
      handle: ({ caller, params }) =>
        service.getModule(services, caller, params, params.module_version).catch(nothing(caller)),
    }),
  ];
}

function downloadRoutes(services: Services, { anyone: gate }: Gates): Route[] {
  return [
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/download',
      summary: 'Be led to the latest version of a Terraform module',
      gate,
      params: schema.module,
      responses: { 302: Type.String() },
      handle: ({ caller, params, reply }) =>
        service.redirectToLatest(services, caller, params, reply).catch(nothing(caller)),
    }),
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/:module_version/download',
      summary: 'Be told where the file of a version of a Terraform module is, in X-Terraform-Get',
      gate,
      params: schema.moduleVersion,
      responses: { 204: null },
      handle: ({ caller, params, reply }) =>
        service.tellAddress(services, caller, params, params.module_version, reply).catch(nothing(caller)),
    }),
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/:module_version/file',
      summary: 'Download the file of a version of a Terraform module',
      gate,
      params: schema.moduleFile,
      responses: bytes,
      handle: ({ caller, params, reply }) => service.sendFile(services, caller, params, reply).catch(nothing(caller)),
    }),
  ];
}

function projectRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(packageGate(services, gates, 'read_package'));
  return [
    route({
      tag,
      method: 'PUT',
      path: '/projects/:id/packages/terraform/modules/:module_name/:module_system/:module_version/file',
      summary: 'Publish a version of a Terraform module',
      gate: withChallenge(packageGate(services, gates, 'create_package')),
      params: schema.projectModuleVersion,
      rawBody: true,
      jobToken: true,
      deployScopes: publishingScopes,
      responses: { 201: schema.TerraformModulePublished },
      handle: async ({ caller, subject, params, request }) => {
        await takeModule(services, caller, subject, params, request);
        return { message: '201 Created' };
      },
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/terraform/modules/:module_name/:module_system',
      summary: 'Download the latest version of a Terraform module of a project',
      gate,
      params: schema.projectModule,
      responses: bytes,
      handle: ({ subject, params, reply }) => service.sendOfProject(services, subject, params, undefined, reply),
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/terraform/modules/:module_name/:module_system/:module_version',
      summary: 'Download a version of a Terraform module of a project',
      gate,
      params: schema.projectModuleVersion,
      responses: bytes,
      handle: ({ subject, params, reply }) =>
        service.sendOfProject(services, subject, params, params.module_version, reply),
    }),
  ];
}
