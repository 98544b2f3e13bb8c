import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { packageGate, publishingScopes, readingScopes } from './gate.ts';
import { publish } from './publish.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'packages';
const bytes = Type.String({ format: 'binary' });

export function packageRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...genericRoutes(services, gates),
    ...readingRoutes(services, gates),
    ...fileRoutes(services, gates),
    ...removingRoutes(services, gates),
  ];
}

function genericRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/projects/:id/packages/generic/:package_name/:package_version/*',
      tag,
      summary: 'Publish a generic package file',
      gate: packageGate(services, gates, 'create_package'),
      params: schema.publishing,
      rawBody: true,
      jobToken: true,
      deployScopes: publishingScopes,
      responses: { 201: schema.Published },
      handle: ({ caller, subject, params, request }) => publish(services, caller, subject, request, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/packages/generic/:package_name/:package_version/*',
      tag,
      summary: 'Download a generic package file',
      gate: packageGate(services, gates, 'read_package'),
      params: schema.genericFile,
      jobToken: true,
      deployScopes: readingScopes,
      responses: { 200: bytes },
      handle: ({ subject, params, reply }) => service.sendGeneric(services, subject, params, reply),
    }),
  ];
}

function readingRoutes(services: Services, gates: Gates): Route[] {
  const gate = packageGate(services, gates, 'read_package');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/packages',
      tag,
      summary: 'List packages of a project',
      gate,
      params: schema.listing,
      paginated: true,
      jobToken: true,
      deployScopes: readingScopes,
      responses: { 200: Type.Array(schema.Package) },
      handle: ({ subject, params, page }) => service.listPackages(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/packages/:package_id',
      tag,
      summary: 'Get a package',
      gate,
      params: schema.onePackage,
      jobToken: true,
      deployScopes: readingScopes,
      responses: { 200: schema.PackageDetail },
      handle: ({ subject, params }) => service.getPackage(services, subject, params.package_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/packages/:package_id/pipelines',
      tag,
      summary: 'List pipelines of a package',
      gate,
      params: schema.onePackage,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(schema.PackagePipeline) },
      handle: ({ subject, params, page }) => service.listPipelines(services, subject, params.package_id, page),
    }),
  ];
}

function fileRoutes(services: Services, gates: Gates): Route[] {
  const gate = packageGate(services, gates, 'read_package');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/packages/:package_id/package_files',
      tag,
      summary: 'List files of a package',
      gate,
      params: schema.fileListing,
      paginated: true,
      jobToken: true,
      deployScopes: readingScopes,
      responses: { 200: Type.Array(schema.PackageFile) },
      handle: ({ subject, params: { package_id, order_by: by, sort: direction }, page }) =>
        service.listFiles(services, subject, package_id, { by, direction }, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/packages/:package_id/package_files/:package_file_id/download',
      tag,
      summary: 'Download a package file',
      gate,
      params: schema.oneFile,
      jobToken: true,
      deployScopes: readingScopes,
      responses: { 200: bytes },
      handle: ({ subject, params, reply }) => service.sendFile(services, subject, params, reply),
    }),
  ];
}

function removingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('destroy_package');
  return [
    route({
      method: 'DELETE',
      path: '/projects/:id/packages/:package_id',
      tag,
      summary: 'Delete a package',
      gate,
      params: schema.onePackage,
      jobToken: true,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.deletePackage(services, caller, subject, params.package_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/packages/:package_id/package_files/:package_file_id',
      tag,
      summary: 'Delete a package file',
      gate,
      params: schema.oneFile,
      jobToken: true,
      responses: { 204: null },
      handle: ({ caller, subject, params }) =>
        service.deleteFile(services, caller, subject, params.package_id, params.package_file_id),
    }),
  ];
}
