import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { deleteTagsInBulk } from '../cleanup/bulk.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'container_registry';

export function repositoryRoutes(services: Services, gates: Gates): Route[] {
  return [...readingRoutes(services, gates), ...changingRoutes(services, gates)];
}

function readingRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_container_image');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/registry/repositories',
      tag,
      summary: 'List container repositories of a project',
      gate,
      params: schema.listing,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(schema.RegistryRepository) },
      handle: ({ subject, params: { tags, tags_count }, page }) =>
        service.listRepositories(services, subject, { tags, tags_count }, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/registry/repositories',
      tag,
      summary: 'List container repositories of a group',
      gate: gates.group('read_group'),
      params: schema.groupListing,
      paginated: true,
      responses: { 200: Type.Array(schema.RegistryRepository) },
      handle: ({ caller, subject, page }) => service.listGroupRepositories(services, caller, subject, page),
    }),
    route({
      method: 'GET',
      path: '/registry/repositories/:id',
      tag,
      summary: 'Get a container repository',
      gate: gates.anyone,
      params: schema.byNumber,
      jobToken: true,
      responses: { 200: schema.RegistryRepository },
      handle: ({ caller, params }) => service.getRepository(services, caller, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/registry/repositories/:repository_id/tags',
      tag,
      summary: 'List tags of a container repository',
      gate,
      params: schema.oneRepository,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(schema.RegistryTag) },
      handle: ({ subject, params, page }) => service.listTags(services, subject, params.repository_id, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/registry/repositories/:repository_id/tags/:tag_name',
      tag,
      summary: 'Get a tag of a container repository',
      gate,
      params: schema.oneTag,
      jobToken: true,
      responses: { 200: schema.RegistryTagDetail },
      handle: ({ subject, params }) => service.getTag(services, subject, params.repository_id, params.tag_name),
    }),
  ];
}

function changingRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/projects/:id/registry/repositories/:repository_id',
      tag,
      summary: 'Delete a container repository',
      gate: gates.project('admin_container_image'),
      params: schema.oneRepository,
      jobToken: true,
      responses: { 202: null },
      handle: ({ caller, subject, params }) =>
        service.deleteRepository(services, caller, subject, params.repository_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/registry/repositories/:repository_id/tags',
      tag,
      summary: 'Delete tags of a container repository in bulk',
      gate: gates.project('admin_container_image'),
      params: schema.bulk,
      jobToken: true,
      responses: { 202: null },
      handle: ({ caller, subject, params }) => deleteTagsInBulk(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/registry/repositories/:repository_id/tags/:tag_name',
      tag,
      summary: 'Delete a tag of a container repository',
      gate: gates.project('destroy_container_image'),
      params: schema.oneTag,
      jobToken: true,
      responses: { 200: null },
      handle: ({ caller, subject, params }) =>
        service.deleteTag(services, caller, subject, params.repository_id, params.tag_name),
    }),
  ];
}
