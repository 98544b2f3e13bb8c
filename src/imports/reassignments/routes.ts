import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'imports';

export function reassignmentRoutes(services: Services, gates: Gates): Route[] {
  const owning = gates.group('admin_group', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/placeholder_reassignments',
      tag,
      summary: 'Download the placeholder reassignment file of a group',
      gate: owning,
      params: schema.groupPlace,
      responses: { 200: Type.String({ format: 'binary' }) },
      handle: async ({ subject, reply }) => {
        const content = await service.unassignedFile(services, subject);
        return sendRaw(reply, content, {
          size: content.length,
          filename: 'placeholder_reassignments.csv',
          type: 'text/csv; charset=utf-8',
          attachment: true,
        });
      },
    }),
    route({
      method: 'POST',
      path: '/groups/:id/placeholder_reassignments',
      tag,
      summary: 'Upload a placeholder reassignment file',
      gate: owning,
      params: schema.reassignmentFile,
      responses: { 201: schema.FileTaken },
      handle: ({ subject, params }) => service.processFile(services, subject, params.file),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/import_source_users',
      tag,
      summary: 'List source users of a group',
      gate: owning,
      paginated: true,
      params: schema.groupPlace,
      responses: { 200: Type.Array(schema.SourceUser) },
      handle: ({ subject, page }) => service.listOfGroup(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/import_source_users/:source_user_id/reassign',
      tag,
      summary: 'Reassign a source user',
      gate: owning,
      params: schema.reassignment,
      responses: { 201: schema.SourceUser },
      handle: ({ subject, params }) => service.reassign(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/import/source_users',
      tag,
      summary: 'List reassignment requests of the user',
      gate: gates.signedIn,
      paginated: true,
      params: {},
      responses: { 200: Type.Array(schema.SourceUser) },
      handle: ({ caller, page }) => service.listPendingReassignments(services, caller, page),
    }),
    route({
      method: 'POST',
      path: '/import/source_users/:id/accept',
      tag,
      summary: 'Accept a reassignment request',
      gate: gates.signedIn,
      params: schema.oneReassignment,
      responses: { 201: schema.SourceUser },
      handle: ({ caller, params }) => service.accept(services, caller, params.id),
    }),
    route({
      method: 'POST',
      path: '/import/source_users/:id/reject',
      tag,
      summary: 'Reject a reassignment request',
      gate: gates.signedIn,
      params: schema.oneReassignment,
      responses: { 201: schema.SourceUser },
      handle: ({ caller, params }) => service.reject(services, caller, params.id),
    }),
  ];
}
