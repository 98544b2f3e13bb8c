import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { GroupDetail } from '../detail/schema.ts';
import * as schema from './schema.ts';
import { shareGroup, unshareGroup } from './service.ts';

const tag = 'groups';

export function sharingRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/groups/:id/share',
      tag,
      summary: 'Share a group with a group',
      gate: gates.group('read_group', { signedIn: true }),
      params: schema.newShare,
      responses: { 201: GroupDetail },
      handle: ({ caller, subject, params }) => shareGroup(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/share/:group_id',
      tag,
      summary: 'Delete a link that shares a group with another group',
      gate: gates.group('read_group', { signedIn: true }),
      params: schema.oneShare,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => unshareGroup(services, caller, subject, params.group_id),
    }),
  ];
}
