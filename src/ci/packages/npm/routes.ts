import Type from 'typebox';
import { isSignedIn } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { NotFound, Unauthorized } from '../../../platform/http/errors.ts';
import { groupPackageGate, packageGate, publishingScopes, readingScopes } from '../gate.ts';
import { project } from '../schema.ts';
import { readNpmAddress, readNpmRevision } from './names.ts';
import { receiveDocument } from './publish.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { announceRemoval, removeVersions } from './unpublish.ts';

const tag = 'packages';
const reading = { tag, jobToken: true, deployScopes: readingScopes } as const;
const auditing = { ...reading, rawBody: true, responses: { 200: Type.Object({}) } } as const;
const group = { id: project.id };

/** The npm registry API. */
export function npmRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...projectRoutes(services, gates),
    ...tagRoutes(services, gates),
    ...groupRoutes(services, gates),
    ...instanceRoutes(services, gates),
    ...auditRoutes(services, gates),
    ...callerRoutes(services, gates),
  ];
}

function projectRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      ...reading,
      method: 'GET',
      path: '/projects/:id/packages/npm/*',
      summary: 'Get metadata of an npm package, or download a file',
      gate: packageGate(services, gates, 'read_package'),
      params: { ...project, ...schema.packageOrFile },
      responses: { 200: schema.NpmDocument },
      handle: ({ subject, params, reply }) => service.sendTarball(services, subject, params['*'], reply),
    }),
    route({
      tag,
      method: 'PUT',
      path: '/projects/:id/packages/npm/*',
      summary: 'Publish or deprecate an npm package version',
      gate: packageGate(services, gates, 'create_package'),
      params: { ...project, ...schema.packageOrFile },
      rawBody: true,
      jobToken: true,
      deployScopes: publishingScopes,
      responses: { 200: schema.NpmPublished },
      handle: async ({ caller, subject, params, request }) => {
        const unpublished = readNpmRevision(params['*']);
        if (unpublished) {
          await announceRemoval(services, caller, subject, unpublished, request);
          return { message: '200 OK' };
        }
        const address = readNpmAddress(params['*']);
        if (!address || address.file !== undefined) throw new NotFound();
        await receiveDocument(services, caller, subject, address.name, request);
        return { message: '200 OK' };
      },
    }),
    route({
      tag,
      method: 'DELETE',
      path: '/projects/:id/packages/npm/*',
      summary: 'Unpublish an npm package or a version of it',
      gate: gates.project('destroy_package'),
      params: { ...project, ...schema.packageOrFile },
      jobToken: true,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => removeVersions(services, caller, subject, params['*']),
    }),
  ];
}

function tagRoutes(services: Services, gates: Gates): Route[] {
  const params = { ...project, ...schema.tagsOrTag };
  return [
    route({
      ...reading,
      method: 'GET',
      path: '/projects/:id/packages/npm/-/package/*',
      summary: 'List tags of an npm package',
      gate: packageGate(services, gates, 'read_package'),
      params,
      responses: { 200: schema.NpmTags },
      handle: ({ subject, params }) => service.listTags(services, service.searchProject(subject), params['*']),
    }),
    route({
      tag,
      method: 'PUT',
      path: '/projects/:id/packages/npm/-/package/*',
      summary: 'Create or update a tag of an npm package',
      gate: packageGate(services, gates, 'create_package'),
      params,
      rawBody: true,
      jobToken: true,
      deployScopes: publishingScopes,
      responses: { 204: null },
      handle: ({ subject, params, request }) => service.setTag(services, subject, params['*'], request),
    }),
    route({
      tag,
      method: 'DELETE',
      path: '/projects/:id/packages/npm/-/package/*',
      summary: 'Delete a tag of an npm package',
      gate: gates.project('destroy_package'),
      params,
      jobToken: true,
      responses: { 204: null },
      handle: ({ subject, params }) => service.removeTag(services, subject, params['*']),
    }),
  ];
}

function groupRoutes(services: Services, gates: Gates): Route[] {
  const gate = groupPackageGate(services, gates);
  return [
    route({
      ...reading,
      method: 'GET',
      path: '/groups/:id/-/packages/npm/*',
      summary: 'Get metadata of an npm package in a group',
      gate,
      params: { ...group, ...schema.packageOrFile },
      responses: { 200: schema.NpmDocument },
      handle: ({ caller, subject, params, reply }) =>
        service.sendDocument(
          services,
          service.searchNamespace(services, caller, subject.namespaceId),
          params['*'],
          reply,
        ),
    }),
    route({
      ...reading,
      method: 'GET',
      path: '/groups/:id/-/packages/npm/-/package/*',
      summary: 'List tags of an npm package in a group',
      gate,
      params: { ...group, ...schema.tagsOrTag },
      responses: { 200: schema.NpmTags },
      handle: ({ caller, subject, params }) =>
        service.listTags(services, service.searchNamespace(services, caller, subject.namespaceId), params['*']),
    }),
  ];
}

function instanceRoutes(services: Services, { anyone }: Gates): Route[] {
  return [
    route({
      ...reading,
      method: 'GET',
      path: '/packages/npm/*',
      summary: 'Get metadata of an npm package of the instance',
      gate: anyone,
      params: schema.packageOrFile,
      responses: { 200: schema.NpmDocument },
      handle: ({ caller, params, reply }) =>
        service.sendDocument(services, service.searchInstance(services, caller), params['*'], reply),
    }),
    route({
      ...reading,
      method: 'GET',
      path: '/packages/npm/-/package/*',
      summary: 'List tags of an npm package of the instance',
      gate: anyone,
      params: schema.tagsOrTag,
      responses: { 200: schema.NpmTags },
      handle: ({ caller, params }) => service.listTags(services, service.searchInstance(services, caller), params['*']),
    }),
  ];
}

function auditRoutes(services: Services, gates: Gates): Route[] {
  const inProject = {
    ...auditing,
    method: 'POST',
    gate: packageGate(services, gates, 'read_package'),
    params: project,
  } as const;
  const inGroup = { ...auditing, method: 'POST', gate: groupPackageGate(services, gates), params: group } as const;
  const anywhere = { ...auditing, method: 'POST', gate: gates.anyone, params: {} } as const;
  const summary = 'Get npm security advisories';
  const handle = ({ request }: { readonly request: Parameters<typeof service.audit>[1] }) =>
    service.audit(services, request);
  return [
    route({ ...inProject, path: '/projects/:id/packages/npm/-/npm/v1/security/advisories/bulk', summary, handle }),
    route({ ...inProject, path: '/projects/:id/packages/npm/-/npm/v1/security/audits', summary, handle }),
    route({ ...inProject, path: '/projects/:id/packages/npm/-/npm/v1/security/audits/quick', summary, handle }),
    route({ ...inGroup, path: '/groups/:id/-/packages/npm/-/npm/v1/security/advisories/bulk', summary, handle }),
    route({ ...inGroup, path: '/groups/:id/-/packages/npm/-/npm/v1/security/audits', summary, handle }),
    route({ ...inGroup, path: '/groups/:id/-/packages/npm/-/npm/v1/security/audits/quick', summary, handle }),
    route({ ...anywhere, path: '/packages/npm/-/npm/v1/security/advisories/bulk', summary, handle }),
    route({ ...anywhere, path: '/packages/npm/-/npm/v1/security/audits', summary, handle }),
    route({ ...anywhere, path: '/packages/npm/-/npm/v1/security/audits/quick', summary, handle }),
  ];
}

/** Endpoints that publishing clients call first. */
function callerRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      ...reading,
      method: 'GET',
      path: '/projects/:id/packages/npm/-/ping',
      summary: 'Check the npm registry of a project',
      gate: packageGate(services, gates, 'read_package'),
      params: project,
      responses: { 200: Type.Object({}) },
      handle: () => ({}),
    }),
    route({
      tag,
      method: 'GET',
      path: '/projects/:id/packages/npm/-/whoami',
      summary: 'Get the npm username of the caller',
      gate: gates.project('read_package'),
      params: project,
      jobToken: true,
      responses: { 200: schema.NpmCaller },
      handle: ({ caller }) => {
        if (!isSignedIn(caller)) throw new Unauthorized();
        return { username: caller.user.username };
      },
    }),
  ];
}
