import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'project exports';

export function projectExportRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('export_project', { signedIn: true });
  return [
    route({
      method: 'POST',
      path: '/projects/:id/export',
      tag,
      summary: 'Export a project',
      gate,
      params: schema.newExport,
      responses: { 202: schema.Accepted },
      handle: ({ subject, params }) => service.startExport(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/export',
      tag,
      summary: 'Get the export status of a project',
      gate,
      params: projectParam,
      responses: { 200: schema.ExportState },
      handle: ({ subject }) => service.exportState(services, subject),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/export/download',
      tag,
      summary: 'Download a project export',
      gate,
      params: projectParam,
      responses: { 200: Type.String({ format: 'binary' }) },
      handle: async ({ subject, reply }) => {
        const { file, filename } = await service.openExport(services, subject);
        return sendRaw(reply, file.stream, {
          size: file.size,
          filename,
          type: 'application/gzip',
          attachment: true,
        });
      },
    }),
  ];
}
