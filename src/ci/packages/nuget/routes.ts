import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { challengeFor, withChallenge } from '../basic-challenge.ts';
import { groupPackageGate, packageGate, publishingScopes, readingScopes } from '../gate.ts';
import { group, project } from '../schema.ts';
import { describeFeed, feedOfGroup, feedOfProject } from './feed.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { receivePackage } from './upload.ts';

const tag = 'packages';
const reading = { tag, method: 'GET', jobToken: true, deployScopes: readingScopes } as const;
const publishing = {
  tag,
  method: 'PUT',
  params: project,
  rawBody: true,
  jobToken: true,
  deployScopes: publishingScopes,
  responses: { 201: schema.NugetPublished },
} as const;
const published = { message: '201 Created' };
const metadataResponses = { 200: Type.Union([schema.NugetMetadata, schema.NugetVersion]) };

/** The NuGet v3 API. */
export function nugetRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...publishRoutes(services, gates),
    ...projectRoutes(services, gates),
    ...fileRoutes(services, gates),
    ...groupRoutes(services, gates),
  ];
}

function publishRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(packageGate(services, gates, 'create_package'));
  return [
    route({
      ...publishing,
      path: '/projects/:id/packages/nuget',
      summary: 'Publish a NuGet package',
      gate,
      handle: async ({ caller, subject, request }) => {
        await receivePackage(services, caller, subject, request, 'nupkg');
        return published;
      },
    }),
    route({
      ...publishing,
      path: '/projects/:id/packages/nuget/symbolpackage',
      summary: 'Publish a NuGet symbol package',
      gate,
      handle: async ({ caller, subject, request }) => {
        await receivePackage(services, caller, subject, request, 'snupkg');
        return published;
      },
    }),
    route({
      tag,
      method: 'DELETE',
      path: '/projects/:id/packages/nuget/:package_name/:package_version',
      summary: 'Delete a NuGet package version',
      gate: withChallenge(gates.project('destroy_package')),
      params: schema.version,
      jobToken: true,
      basicAuth: true,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.removeVersion(services, caller, subject, params),
    }),
  ];
}

function projectRoutes(services: Services, gates: Gates): Route[] {
  const inProject = { ...reading, gate: withChallenge(packageGate(services, gates, 'read_package')) };
  const index = { ...inProject, params: project, responses: { 200: schema.NugetService } };
  const summary = 'Get the NuGet service index of a project';
  return [
    route({
      ...index,
      path: '/projects/:id/packages/nuget/index',
      summary,
      handle: ({ subject }) => describeFeed(feedOfProject(services, subject.project)),
    }),
    route({
      ...index,
      path: '/projects/:id/packages/nuget/index.json',
      summary,
      handle: ({ subject }) => describeFeed(feedOfProject(services, subject.project)),
    }),
    route({
      ...inProject,
      path: '/projects/:id/packages/nuget/query',
      summary: 'Search NuGet packages of a project',
      params: { ...project, ...schema.search },
      responses: { 200: schema.NugetFound },
      handle: ({ subject, params }) => service.search(services, feedOfProject(services, subject.project), params),
    }),
    route({
      ...inProject,
      path: '/projects/:id/packages/nuget/metadata/:package_name/:document',
      summary: 'Get metadata of a NuGet package in a project',
      params: { ...project, ...schema.document },
      responses: metadataResponses,
      handle: ({ subject, params, reply }) =>
        service.sendMetadata(services, feedOfProject(services, subject.project), params, reply),
    }),
  ];
}

function fileRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(packageGate(services, gates, 'read_package'));
  return [
    route({
      ...reading,
      path: '/projects/:id/packages/nuget/download/:package_name/:document',
      summary: 'List versions of a NuGet package',
      gate,
      params: schema.listOfVersions,
      responses: { 200: schema.NugetVersions },
      handle: ({ subject, params }) =>
        service.listVersions(services, feedOfProject(services, subject.project), params.package_name),
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/nuget/download/:package_name/:package_version/:package_filename',
      summary: 'Download a NuGet package file',
      gate,
      params: schema.file,
      responses: { 200: Type.String({ format: 'binary' }) },
      handle: ({ subject, params, reply }) => service.sendFile(services, subject, params, reply),
    }),
  ];
}

function groupRoutes(services: Services, gates: Gates): Route[] {
  const inGroup = { ...reading, gate: withChallenge(groupPackageGate(services, gates)) };
  const index = { ...inGroup, params: group, responses: { 200: schema.NugetService } };
  const summary = 'Get the NuGet service index of a group';
  return [
    route({
      ...index,
      path: '/groups/:id/-/packages/nuget/index',
      summary,
      handle: ({ caller, subject }) => describeFeed(feedOfGroup(services, caller, subject)),
    }),
    route({
      ...index,
      path: '/groups/:id/-/packages/nuget/index.json',
      summary,
      handle: ({ caller, subject }) => describeFeed(feedOfGroup(services, caller, subject)),
    }),
    route({
      ...inGroup,
      path: '/groups/:id/-/packages/nuget/query',
      summary: 'Search NuGet packages of a group',
      params: { ...group, ...schema.search },
      responses: { 200: schema.NugetFound },
      handle: ({ caller, subject, params }) => service.search(services, feedOfGroup(services, caller, subject), params),
    }),
    route({
      ...inGroup,
      path: '/groups/:id/-/packages/nuget/metadata/:package_name/:document',
      summary: 'Get metadata of a NuGet package in a group',
      params: { ...group, ...schema.document },
      responses: metadataResponses,
      handle: ({ caller, subject, params, reply }) =>
        service
          .sendMetadata(services, feedOfGroup(services, caller, subject), params, reply)
          .catch((error: unknown) => {
            // The package may be in a non-public project of a public group.
            throw challengeFor(caller, error);
          }),
    }),
  ];
}
