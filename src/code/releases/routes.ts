import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { param } from '../../platform/http/params.ts';
import { Message } from '../../platform/http/schema.ts';
import { createRelease } from './create.ts';
import { releaseTagParams } from './params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'releases';

/** `/projects/:id/releases`. */
export function releaseRoutes(services: Services, gates: Gates): Route[] {
  return [...readRoutes(services, gates), ...writeRoutes(services, gates)];
}

function readRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_release');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/releases',
      tag,
      summary: 'List releases of a project',
      gate,
      params: schema.listing,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(schema.Release) },
      handle: ({ caller, subject, params, page }) => service.listReleases(services, caller, subject, params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/releases/:tag_name',
      tag,
      summary: 'Get a release by a tag name',
      gate,
      params: schema.reading,
      jobToken: true,
      responses: { 200: schema.Release },
      handle: ({ caller, subject, params }) =>
        service.getRelease(services, caller, subject, params.tag_name, params.include_html_description),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/releases/permalink/latest',
      tag,
      summary: 'Get the latest release',
      gate,
      params: schema.permalink,
      jobToken: true,
      responses: { 302: Type.String() },
      handle: async ({ subject, request, reply }) => {
        const query = request.query as Record<string, unknown>;
        return reply.redirect(await service.latestAddress(services, subject, '', query), 302);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/releases/permalink/latest/*',
      tag,
      summary: 'Get a resource of the latest release',
      gate,
      params: { ...schema.permalink, '*': param.string() },
      jobToken: true,
      responses: { 302: Type.String() },
      handle: async ({ subject, params, request, reply }) => {
        const suffix = params['*'] === undefined ? '' : `/${params['*']}`;
        const query = request.query as Record<string, unknown>;
        return reply.redirect(await service.latestAddress(services, subject, suffix, query), 302);
      },
    }),
  ];
}

function writeRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_release');
  return [
    route({
      method: 'POST',
      path: '/projects/:id/releases',
      tag,
      summary: 'Create a release',
      gate,
      params: schema.creation,
      rules: [schema.oneKindOfMilestones],
      jobToken: true,
      responses: { 201: schema.Release },
      handle: ({ caller, subject, params }) => createRelease(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/releases/:tag_name',
      tag,
      summary: 'Update a release',
      gate,
      params: schema.update,
      rules: [schema.oneKindOfMilestones],
      jobToken: true,
      responses: { 200: schema.Release },
      handle: ({ caller, subject, params }) =>
        service.changeRelease(services, caller, subject, params.tag_name, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/releases/:tag_name',
      tag,
      summary: 'Delete a release',
      gate,
      params: releaseTagParams,
      jobToken: true,
      responses: { 200: schema.Release },
      handle: ({ caller, subject, params }) => service.removeRelease(services, caller, subject, params.tag_name),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/releases/:tag_name/evidence',
      tag,
      summary: 'Collect release evidence',
      gate,
      params: releaseTagParams,
      jobToken: true,
      responses: { 202: Message },
      handle: async ({ subject, params }) => {
        await service.addEvidence(services, subject, params.tag_name);
        return { message: '202 Accepted' };
      },
    }),
  ];
}
