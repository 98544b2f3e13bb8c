import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required, withDefault } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { Release } from '../schema.ts';
import { listGroupReleases } from './service.ts';

const { milestones, assets, _links, ...rest } = Release.properties;

/** A release, or with `simple=true` a subset of its fields. */
const GroupRelease = entity('GroupRelease', {
  ...rest,
  milestones: Type.Optional(milestones),
  assets: Type.Optional(assets),
  _links: Type.Optional(_links),
});

/** `/groups/:id/releases`. */
export function groupReleaseRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/groups/:id/releases',
      tag: 'releases',
      summary: 'List group releases',
      gate: gates.group('read_release'),
      params: {
        id: required(param.string({ description: 'ID or URL-encoded path of the group' })),
        sort: withDefault(param.oneOf(['asc', 'desc']), 'desc' as const),
        simple: withDefault(param.boolean({ description: 'Return only a limited set of fields' }), false),
      },
      paginated: true,
      responses: { 200: Type.Array(GroupRelease) },
      handle: ({ caller, subject, params, page }) => listGroupReleases(services, caller, subject, params, page),
    }),
  ];
}
