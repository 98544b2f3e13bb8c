import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'secure files';

export function secureFileRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_secure_file', { signedIn: true });
  const managing = gates.project('admin_secure_file');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/secure_files',
      tag,
      summary: 'List secure files',
      gate: reading,
      params: schema.project,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(schema.SecureFile) },
      handle: ({ subject, page }) => service.listFiles(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/secure_files/:secure_file_id',
      tag,
      summary: 'Get a secure file',
      gate: reading,
      params: schema.oneFile,
      jobToken: true,
      responses: { 200: schema.SecureFile },
      handle: ({ subject, params }) => service.getFile(services, subject, params.secure_file_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/secure_files/:secure_file_id/download',
      tag,
      summary: 'Download a secure file',
      gate: reading,
      params: schema.oneFile,
      jobToken: true,
      responses: { 200: Type.String() },
      handle: ({ subject, params, reply }) => service.sendFile(services, subject, params.secure_file_id, reply),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/secure_files',
      tag,
      summary: 'Create a secure file',
      gate: managing,
      params: schema.newFile,
      jobToken: true,
      responses: { 201: schema.SecureFile },
      handle: ({ subject, params }) => service.createFile(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/secure_files/:secure_file_id',
      tag,
      summary: 'Delete a secure file',
      gate: managing,
      params: schema.oneFile,
      jobToken: true,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteFile(services, subject, params.secure_file_id),
    }),
  ];
}
