import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { param, required } from '../../platform/http/params.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import { entity } from '../../platform/http/schema.ts';
import { GroupExportStatus } from './schema.ts';
import * as service from './service.ts';

const tag = 'group exports';
const params = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };
const Accepted = entity('GroupExportAccepted', { message: Type.String() });

export function groupExportRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_group', { signedIn: true });
  return [
    route({
      method: 'POST',
      path: '/groups/:id/export',
      tag,
      summary: 'Export a group',
      gate,
      params,
      responses: { 202: Accepted },
      handle: ({ subject }) => service.startExport(services, subject),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/export',
      tag,
      summary: 'Get the export status of a group',
      gate,
      params,
      responses: { 200: GroupExportStatus },
      handle: ({ subject }) => service.exportStatus(services, subject),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/export/download',
      tag,
      summary: 'Download a group export',
      gate,
      params,
      responses: { 200: Type.String({ format: 'binary' }) },
      handle: async ({ subject, reply }) => {
        const { file, filename } = await service.openExport(services, subject);
        return sendRaw(reply, file.stream, { size: file.size, filename, type: 'application/gzip', attachment: true });
      },
    }),
  ];
}
