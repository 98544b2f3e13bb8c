import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'group imports';

export function groupArchiveRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/groups/import',
      tag,
      summary: 'Import a group from a file',
      gate: gates.signedIn,
      params: schema.groupImportSent,
      rawBody: true,
      responses: { 202: schema.Accepted },
      handle: async ({ caller, request, params, reply }) => {
        const { id } = await service.importFile(services, caller, request, params);
        reply.header('location', `${services.externalUrl}/api/v4/groups/${id}/import`);
        return { message: '202 Accepted' };
      },
    }),
    route({
      method: 'GET',
      path: '/groups/:id/import',
      tag,
      summary: 'Get the import status of a group',
      gate: gates.group('admin_group', { signedIn: true }),
      params: schema.oneGroup,
      responses: { 200: schema.GroupImportStatus },
      handle: ({ subject }) => service.importStatus(services, subject),
    }),
  ];
}
