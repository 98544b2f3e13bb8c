import Type from 'typebox';
import type { Actor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { challengeFor, withChallenge } from '../basic-challenge.ts';
import { packageGate, publishingScopes, readingScopes } from '../gate.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { receiveModule } from './upload.ts';

const tag = 'packages';
const reading = { tag, method: 'GET', jobToken: true, deployScopes: readingScopes } as const;
const bytes = { 200: Type.String({ format: 'binary' }) };

/** The Terraform module registry API, used by Terraform and OpenTofu. */
export function terraformModuleRoutes(services: Services, gates: Gates): Route[] {
  return [...aboutRoutes(services, gates), ...downloadRoutes(services, gates), ...projectRoutes(services, gates)];
}

/** Anonymous callers are challenged, whether or not the module exists. */
const challengeAnonymous = (caller: Actor) => (error: unknown) => {
  throw challengeFor(caller, error);
};

function aboutRoutes(services: Services, { anyone: gate }: Gates): Route[] {
  return [
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/versions',
      summary: 'List versions of a Terraform module',
      gate,
      params: schema.module,
      responses: { 200: schema.TerraformModuleVersions },
      handle: ({ caller, params }) => service.listVersions(services, caller, params).catch(challengeAnonymous(caller)),
    }),
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system',
      summary: 'Get the latest version of a Terraform module',
      gate,
      params: schema.module,
      responses: { 200: schema.TerraformModule },
      handle: ({ caller, params }) => service.getModule(services, caller, params).catch(challengeAnonymous(caller)),
    }),
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/:module_version',
      summary: 'Get a version of a Terraform module',
      gate,
      params: schema.moduleVersion,
      responses: { 200: schema.TerraformModule },
      handle: ({ caller, params }) =>
        service.getModule(services, caller, params, params.module_version).catch(challengeAnonymous(caller)),
    }),
  ];
}

function downloadRoutes(services: Services, { anyone: gate }: Gates): Route[] {
  return [
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/download',
      summary: 'Download the latest version of a Terraform module',
      gate,
      params: schema.module,
      responses: { 302: Type.String() },
      handle: ({ caller, params, reply }) =>
        service.redirectToLatest(services, caller, params, reply).catch(challengeAnonymous(caller)),
    }),
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/:module_version/download',
      summary: 'Get the download URL of a Terraform module version',
      gate,
      params: schema.moduleVersion,
      responses: { 204: null },
      handle: ({ caller, params, reply }) =>
        service
          .sendDownloadUrl(services, caller, params, params.module_version, reply)
          .catch(challengeAnonymous(caller)),
    }),
    route({
      ...reading,
      path: '/packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/:module_version/file',
      summary: 'Download the file of a Terraform module version',
      gate,
      params: schema.moduleFile,
      responses: bytes,
      handle: ({ caller, params, reply }) =>
        service.sendFile(services, caller, params, reply).catch(challengeAnonymous(caller)),
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
      summary: 'Publish a Terraform module version',
      gate: withChallenge(packageGate(services, gates, 'create_package')),
      params: schema.projectModuleVersion,
      rawBody: true,
      jobToken: true,
      deployScopes: publishingScopes,
      responses: { 201: schema.TerraformModulePublished },
      handle: async ({ caller, subject, params, request }) => {
        await receiveModule(services, caller, subject, params, request);
        return { message: '201 Created' };
      },
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/terraform/modules/:module_name/:module_system',
      summary: 'Download the latest version of a Terraform module in a project',
      gate,
      params: schema.projectModule,
      responses: bytes,
      handle: ({ subject, params, reply }) => service.sendOfProject(services, subject, params, undefined, reply),
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/terraform/modules/:module_name/:module_system/:module_version',
      summary: 'Download a version of a Terraform module in a project',
      gate,
      params: schema.projectModuleVersion,
      responses: bytes,
      handle: ({ subject, params, reply }) =>
        service.sendOfProject(services, subject, params, params.module_version, reply),
    }),
  ];
}
