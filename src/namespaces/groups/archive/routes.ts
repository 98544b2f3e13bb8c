import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, withDefault } from '../../../platform/http/params.ts';
import { GroupDetail } from '../detail/schema.ts';
import { owner } from '../schema.ts';
import { archiveGroup, unarchiveGroup } from './service.ts';

const tag = 'groups';
const archiving = { ...owner, with_projects: withDefault(param.boolean(), false) };

export function archiveRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/groups/:id/archive',
      tag,
      summary: 'Archive a group',
      gate: gates.group('archive_group'),
      params: archiving,
      responses: { 200: GroupDetail },
      handle: ({ caller, subject, params }) => archiveGroup(services, caller, subject, params.with_projects),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/unarchive',
      tag,
      summary: 'Unarchive a group',
      gate: gates.group('archive_group'),
      params: archiving,
      responses: { 200: GroupDetail },
      handle: ({ caller, subject, params }) => unarchiveGroup(services, caller, subject, params.with_projects),
    }),
  ];
}
