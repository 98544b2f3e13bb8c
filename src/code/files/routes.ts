import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { SHARED_READ_BYTES } from '../../platform/git/objects/objects.ts';
import { setHeaders } from '../../platform/http/responses/headers.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import { WithHeaders } from '../../platform/http/responses/results.ts';
import { withLargeBody } from '../commits/public.ts';
import { cachedResponse, type ProjectCall, repositoryGate } from '../repository/public.ts';
import { limitLargeBlob } from '../trees/public.ts';
import { blameFile } from './blame.ts';
import { fileHeaders } from './headers.ts';
import { openFile } from './raw.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { deleteFile, readFileWrite, writeFile } from './write.ts';

const tag = 'repository files';
const rawAddress = '/projects/:id/repository/files/:file_path/raw';
const scopes = ['read_repository'];
const json = ['content-type', 'application/json'];

type Answering = ProjectCall & { readonly reply: FastifyReply };

/** `/projects/:id/repository/files`. */
export function fileRoutes(services: Services, gates: Gates): Route[] {
  return [...readRoutes(services, gates), ...writeRoutes(services, gates)];
}

/** Read routes. HEAD requests are answered with headers only. */
function readRoutes(services: Services, gates: Gates): Route[] {
  const gate = repositoryGate(gates, 'read_code');
  const headersOnly = async (call: Answering, file: service.FoundFile) => {
    const metadata = await service.describeFile(services, call, file);
    return setHeaders(call.reply, [...fileHeaders(metadata), ...json]).send('');
  };
  const streamed = async (call: Answering, file: service.FoundFile) => {
    const metadata = await service.describeFile(services, call, file);
    const found = await service.streamedContent(file, metadata, call.signal);
    setHeaders(call.reply, [...fileHeaders(metadata), ...json, 'content-length', `${found.length}`]);
    return call.reply.send(found.json);
  };
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/files/:file_path',
      tag,
      summary: 'Get a file',
      gate,
      scopes,
      params: schema.file,
      responses: { 200: schema.RepositoryFile },
      handle: async (call) => {
        const { request, params, subject } = call;
        const file = await service.findFile(services, call, params.file_path, params.ref);
        if (request.method === 'HEAD') return headersOnly(call, file);
        await limitLargeBlob(services, subject, file.size, rawAddress);
        if (file.size > SHARED_READ_BYTES) return streamed(call, file);
        return cachedResponse(file.objects, [file.commit.oid], request, async () => {
          const metadata = await service.describeFile(services, call, file);
          return new WithHeaders(fileHeaders(metadata), await service.withContent(file, metadata));
        });
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/files/:file_path/raw',
      tag,
      summary: 'Get a raw file',
      gate,
      scopes,
      jobToken: true,
      params: schema.raw,
      responses: { 200: Type.String() },
      handle: async (call) => {
        const file = await openFile(services, call, call.params, call.request.method === 'HEAD');
        return sendRaw(call.reply, file.content, file);
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/files/:file_path/blame',
      tag,
      summary: 'Get the blame of a file',
      gate,
      scopes,
      params: schema.blame,
      responses: { 200: Type.Array(schema.BlameRange) },
      handle: async (call) => {
        const { request, params, subject } = call;
        const file = await service.findFile(services, call, params.file_path, params.ref);
        if (request.method === 'HEAD') return headersOnly(call, file);
        await limitLargeBlob(services, subject, file.size, rawAddress);
        const metadata = await service.describeFile(services, call, file);
        return new WithHeaders(fileHeaders(metadata), await blameFile(services, call, file, params.range));
      },
    }),
  ];
}

function writeRoutes(services: Services, gates: Gates): Route[] {
  // Push access depends on the branch in the body, and its error has a message; the service checks it.
  const write = gates.project('read_project', { signedIn: true });
  return [
    route({
      method: 'POST',
      path: '/projects/:id/repository/files/:file_path',
      tag,
      summary: 'Create a file',
      gate: write,
      params: schema.creation,
      rawBody: true,
      bodyLimit: services.config.maxCommitBody,
      responses: { 201: schema.WrittenFile },
      handle: (call) =>
        withLargeBody(services, call, (fields) => {
          const commit = readFileWrite(fields, 'create', call.params.file_path);
          return writeFile(services, call, commit, call.params.file_path);
        }),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/repository/files/:file_path',
      tag,
      summary: 'Update a file',
      gate: write,
      params: schema.update,
      rawBody: true,
      bodyLimit: services.config.maxCommitBody,
      responses: { 200: schema.WrittenFile },
      handle: (call) =>
        withLargeBody(services, call, (fields) => {
          const commit = readFileWrite(fields, 'update', call.params.file_path);
          return writeFile(services, call, commit, call.params.file_path);
        }),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/repository/files/:file_path',
      tag,
      summary: 'Delete a file',
      gate: repositoryGate(gates, 'read_code'),
      params: schema.deletion,
      responses: { 200: null },
      handle: ({ caller, subject, params }) => deleteFile(services, caller, subject, params),
    }),
  ];
}
