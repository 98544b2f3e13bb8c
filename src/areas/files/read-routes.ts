import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import { sendRaw } from '../../platform/http/raw.ts';
import type { Services } from '../../platform/services.ts';
import { repositoryGate } from '../repository/service.ts';
import { limitLargeBlob } from '../trees/service.ts';
import { besideHeaders, fileHeaders } from './headers.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const path = '/projects/:id/repository/files/:file_path';
const rawAddress = '/projects/:id/repository/files/:file_path/raw';
const tag = 'repository files';
const scopes = ['read_repository'];

/** Reading files: each answers HEAD with the headers alone. */
export function readRoutes(services: Services, gates: Gates): Route[] {
  const gate = repositoryGate(gates, 'read_code');
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'Get a file',
      gate,
      scopes,
      params: schema.file,
      answers: { 200: schema.RepositoryFile },
      handle: async (call) => {
        const { request, reply, params, subject } = call;
        const file = await service.findFile(services, call, params.file_path, params.ref);
        const metadata = await service.describeFile(services, call, file);
        reply.headers(fileHeaders(metadata));
        if (request.method === 'HEAD') return reply.header('content-type', 'application/json').send('');
        await limitLargeBlob(services, subject, file.size, rawAddress);
        const found = await service.withContent(file, metadata, call);
        if (!('json' in found)) return besideHeaders(call, metadata, found);
        return reply.headers({ 'content-type': 'application/json', 'content-length': found.length }).send(found.json);
      },
    }),
    route({
      method: 'GET',
      path: `${path}/raw`,
      tag,
      summary: 'Get the bytes of a file',
      gate,
      scopes,
      jobToken: true,
      params: schema.raw,
      answers: { 200: Type.String() },
      handle: async (call) => {
        const file = await service.openFile(services, call, call.params, call.request.method === 'HEAD');
        return sendRaw(call.reply.headers(file.headers), file.content, file);
      },
    }),
    route({
      method: 'GET',
      path: `${path}/blame`,
      tag,
      summary: 'Tell who wrote the lines of a file',
      gate,
      scopes,
      params: schema.blame,
      answers: { 200: Type.Array(schema.BlameRange) },
      handle: async (call) => {
        const { request, reply, params, subject } = call;
        const file = await service.findFile(services, call, params.file_path, params.ref);
        const metadata = await service.describeFile(services, call, file);
        reply.headers(fileHeaders(metadata));
        if (request.method === 'HEAD') return reply.header('content-type', 'application/json').send('');
        await limitLargeBlob(services, subject, file.size, rawAddress);
        return besideHeaders(call, metadata, await service.blameFile(services, call, file, params.range));
      },
    }),
  ];
}
