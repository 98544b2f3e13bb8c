import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { param, withDefault } from '../../platform/http/params.ts';
import { Message } from '../../platform/http/schema.ts';
import { groupReleaseRoutes } from './group-routes.ts';
import { linkRoutes } from './link-routes.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'releases';
const path = '/projects/:id/releases';

/** `/projects/:id/releases`, and those of a group. */
export function releaseRoutes(services: Services, gates: Gates): Route[] {
  return [
    ...readRoutes(services, gates),
    ...writeRoutes(services, gates),
    ...linkRoutes(services, gates),
    ...groupReleaseRoutes(services, gates),
  ];
}

function readRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_release');
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List releases',
      gate,
      params: schema.listing,
      paginated: true,
      jobToken: true,
      answers: { 200: Type.Array(schema.Release) },
      handle: ({ subject, params, page }) => service.listReleases(services, subject, params, page),
    }),
    route({
      method: 'GET',
      path: `${path}/:tag_name`,
      tag,
      summary: 'Get a release',
      gate,
      params: schema.reading,
      jobToken: true,
      answers: { 200: schema.Release },
      handle: ({ subject, params }) =>
        service.getRelease(services, subject, params.tag_name, params.include_html_description),
    }),
    ...['', '/*'].map((rest) =>
      route({
        method: 'GET',
        path: `${path}/permalink/latest${rest}`,
        tag,
        summary: rest === '' ? 'Go to the latest release' : 'Go to a part of the latest release',
        gate,
        params: {
          ...schema.project,
          order_by: withDefault(param.oneOf(['released_at']), 'released_at' as const),
          ...(rest === '' ? {} : { '*': param.string() }),
        },
        jobToken: true,
        answers: { 302: Type.String() },
        handle: async ({ subject, params, request, reply }) => {
          const below = (params as { '*'?: string })['*'];
          const suffix = below === undefined ? '' : `/${below}`;
          const query = request.query as Record<string, unknown>;
          const address = await service.latestAddress(services, subject, suffix, query);
          return reply.redirect(address, 302);
        },
      }),
    ),
  ];
}

function writeRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_release');
  return [
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Create a release',
      gate,
      params: schema.creation,
      rules: [schema.oneKindOfMilestones],
      jobToken: true,
      answers: { 201: schema.Release },
      handle: ({ caller, subject, params }) => service.createRelease(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: `${path}/:tag_name`,
      tag,
      summary: 'Update a release',
      gate,
      params: schema.update,
      rules: [schema.oneKindOfMilestones],
      jobToken: true,
      answers: { 200: schema.Release },
      handle: ({ caller, subject, params }) =>
        service.changeRelease(services, caller, subject, params.tag_name, params),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:tag_name`,
      tag,
      summary: 'Delete a release',
      gate,
      params: schema.tagged,
      jobToken: true,
      answers: { 200: schema.Release },
      handle: ({ caller, subject, params }) => service.removeRelease(services, caller, subject, params.tag_name),
    }),
    route({
      method: 'POST',
      path: `${path}/:tag_name/evidence`,
      tag,
      summary: 'Collect the evidence of a release',
      gate,
      params: schema.tagged,
      jobToken: true,
      answers: { 202: Message },
      handle: async ({ subject, params }) => {
        await service.addEvidence(services, subject, params.tag_name);
        return { message: '202 Accepted' };
      },
    }),
  ];
}
