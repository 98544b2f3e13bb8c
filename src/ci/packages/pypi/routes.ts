import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { withChallenge } from '../basic-challenge.ts';
import { groupPackageGate, packageGate, publishingScopes, readingScopes } from '../gate.ts';
import { project } from '../schema.ts';
import * as service from './service.ts';
import { takeUpload } from './upload.ts';

const tag = 'packages';
const reading = { tag, jobToken: true, deployScopes: readingScopes } as const;
const page = { 200: Type.String() };
const bytes = { 200: Type.String({ format: 'binary' }) };
const group = { id: required(param.string({ description: 'Number or URL-encoded path of the group' })) };
const named = { package_name: required(param.string({ description: 'The name of a package, in any spelling' })) };
const file = {
  sha256: required(param.string({ description: 'The digest of the file' })),
  '*': required(param.string({ description: 'The name of the file' })),
};
const PypiPublished = entity('PypiPublished', { message: Type.String() });

/** What twine and pip ask for, as they ask for it. */
export function pypiRoutes(services: Services, gates: Gates): Route[] {
  return [...projectRoutes(services, gates), ...groupRoutes(services, gates)];
}

function projectRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(packageGate(services, gates, 'read_package'));
  return [
    route({
      tag,
      method: 'POST',
      path: '/projects/:id/packages/pypi',
      summary: 'Publish a file of a Python package',
      gate: withChallenge(packageGate(services, gates, 'create_package')),
      params: project,
      rawBody: true,
      jobToken: true,
      deployScopes: publishingScopes,
      responses: { 201: PypiPublished },
      handle: async ({ caller, subject, request }) => {
        await takeUpload(services, caller, subject, request);
        return { message: '201 Created' };
      },
    }),
    route({
      ...reading,
      method: 'GET',
      path: '/projects/:id/packages/pypi/simple',
      summary: 'List the Python packages of a project, as pip reads it',
      gate,
      params: project,
      responses: page,
      handle: ({ subject, reply }) =>
        service.sendIndex(services, service.indexOfProject(services, subject.project), reply),
    }),
    route({
      ...reading,
      method: 'GET',
      path: '/projects/:id/packages/pypi/simple/:package_name',
      summary: 'List the files of a Python package of a project, as pip reads it',
      gate,
      params: { ...project, ...named },
      responses: page,
      handle: ({ subject, params, reply }) =>
        service.sendLinks(services, service.indexOfProject(services, subject.project), params.package_name, reply),
    }),
    route({
      ...reading,
      method: 'GET',
      path: '/projects/:id/packages/pypi/files/:sha256/*',
      summary: 'Download a file of a Python package of a project',
      gate,
      params: { ...project, ...file },
      responses: bytes,
      handle: ({ caller, subject, params, reply }) =>
        service.sendFile(services, caller, service.indexOfProject(services, subject.project), params, reply),
    }),
  ];
}

function groupRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(groupPackageGate(services, gates));
  return [
    route({
      ...reading,
      method: 'GET',
      path: '/groups/:id/-/packages/pypi/simple',
      summary: 'List the Python packages of the projects in a group, as pip reads it',
      gate,
      params: group,
      responses: page,
      handle: ({ caller, subject, reply }) =>
        service.sendIndex(services, service.indexOfGroup(services, caller, subject), reply),
    }),
    route({
      ...reading,
      method: 'GET',
      path: '/groups/:id/-/packages/pypi/simple/:package_name',
      summary: 'List the files of a Python package of the projects in a group, as pip reads it',
      gate,
      params: { ...group, ...named },
      responses: page,
      handle: ({ caller, subject, params, reply }) =>
        service.sendLinks(services, service.indexOfGroup(services, caller, subject), params.package_name, reply),
    }),
    route({
      ...reading,
      method: 'GET',
      path: '/groups/:id/-/packages/pypi/files/:sha256/*',
      summary: 'Download a file of a Python package of the projects in a group',
      gate,
      params: { ...group, ...file },
      responses: bytes,
      handle: ({ caller, subject, params, reply }) =>
        service.sendFile(services, caller, service.indexOfGroup(services, caller, subject), params, reply),
    }),
  ];
}
