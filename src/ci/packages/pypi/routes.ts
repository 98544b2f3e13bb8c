import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { withChallenge } from '../basic-challenge.ts';
import { groupPackageGate, packageGate, publishingScopes, readingScopes } from '../gate.ts';
import { group, project } from '../schema.ts';
import * as service from './service.ts';
import { receiveUpload } from './upload.ts';

const tag = 'packages';
const reading = { tag, jobToken: true, deployScopes: readingScopes } as const;
const page = { 200: Type.String() };
const bytes = { 200: Type.String({ format: 'binary' }) };
const named = { package_name: required(param.string({ description: 'Name of the package, in any spelling' })) };
const file = {
  sha256: required(param.string({ description: 'SHA-256 digest of the file' })),
  '*': required(param.string({ description: 'File name' })),
};
const PypiPublished = entity('PypiPublished', { message: Type.String() });

/** The PyPI simple index and upload API, used by pip and twine. */
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
      summary: 'Publish a Python package file',
      gate: withChallenge(packageGate(services, gates, 'create_package')),
      params: project,
      rawBody: true,
      jobToken: true,
      deployScopes: publishingScopes,
      responses: { 201: PypiPublished },
      handle: async ({ caller, subject, request }) => {
        await receiveUpload(services, caller, subject, request);
        return { message: '201 Created' };
      },
    }),
    route({
      ...reading,
      method: 'GET',
      path: '/projects/:id/packages/pypi/simple',
      summary: 'List Python packages of a project (simple index)',
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
      summary: 'List files of a Python package in a project (simple index)',
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
      summary: 'Download a Python package file from a project',
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
      summary: 'List Python packages of a group (simple index)',
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
      summary: 'List files of a Python package in a group (simple index)',
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
      summary: 'Download a Python package file from a group',
      gate,
      params: { ...group, ...file },
      responses: bytes,
      handle: ({ caller, subject, params, reply }) =>
        service.sendFile(services, caller, service.indexOfGroup(services, caller, subject), params, reply),
    }),
  ];
}
