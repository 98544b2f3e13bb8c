import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { withLargeBody } from '../commits/public.ts';
import { pushGate } from '../repository/public.ts';
import { readRoutes } from './read-routes.ts';
import * as schema from './schema.ts';
import { deleteFile, readFileWrite, writeFile } from './write.ts';

const path = '/projects/:id/repository/files/:file_path';
const tag = 'repository files';

/** `/projects/:id/repository/files`. */
export function fileRoutes(services: Services, gates: Gates): Route[] {
  // Whether they may push is asked for the branch, which stands in the body, and answered with a reason.
  const write = gates.project('read_project', { signedIn: true });
  return [
    ...readRoutes(services, gates),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Create a file',
      gate: write,
      params: schema.creation,
      rawBody: true,
      bodyLimit: services.config.maxCommitBody,
      answers: { 201: schema.WrittenFile },
      handle: (call) =>
        withLargeBody(services, call, (fields) => {
          const commit = readFileWrite(fields, 'create', call.params.file_path);
          return writeFile(services, call, commit, call.params.file_path);
        }),
    }),
    route({
      method: 'PUT',
      path,
      tag,
      summary: 'Update a file',
      gate: write,
      params: schema.update,
      rawBody: true,
      bodyLimit: services.config.maxCommitBody,
      answers: { 200: schema.WrittenFile },
      handle: (call) =>
        withLargeBody(services, call, (fields) => {
          const commit = readFileWrite(fields, 'update', call.params.file_path);
          return writeFile(services, call, commit, call.params.file_path);
        }),
    }),
    route({
      method: 'DELETE',
      path,
      tag,
      summary: 'Delete a file',
      gate: pushGate(gates),
      params: schema.deletion,
      answers: { 200: null },
      handle: ({ caller, subject, params }) => deleteFile(services, { caller, subject }, params),
    }),
  ];
}
