import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { SHARED_READ_BYTES } from '../../platform/git/objects/objects.ts';
import { setHeaders } from '../../platform/http/headers.ts';
import { sendRaw } from '../../platform/http/raw.ts';
import { Beside } from '../../platform/http/results.ts';
import { cachedAnswer, type ProjectCall, repositoryGate } from '../repository/public.ts';
import { limitLargeBlob } from '../trees/service.ts';
import { fileHeaders } from './headers.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const path = '/projects/:id/repository/files/:file_path';
const rawAddress = '/projects/:id/repository/files/:file_path/raw';
const tag = 'repository files';
const scopes = ['read_repository'];
const json = ['content-type', 'application/json'];

type Answering = ProjectCall & { readonly reply: FastifyReply };

/** Reading files: each answers HEAD with the headers alone. */
export function readRoutes(services: Services, gates: Gates): Route[] {
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
      path,
      tag,
      summary: 'Get a file',
      gate,
      scopes,
      params: schema.file,
      answers: { 200: schema.RepositoryFile },
      handle: async (call) => {
        const { request, params, subject } = call;
        const file = await service.findFile(services, call, params.file_path, params.ref);
        if (request.method === 'HEAD') return headersOnly(call, file);
        await limitLargeBlob(services, subject, file.size, rawAddress);
        if (file.size > SHARED_READ_BYTES) return streamed(call, file);
        return cachedAnswer(file.objects, [file.commit.oid], request, async () => {
          const metadata = await service.describeFile(services, call, file);
          return new Beside(fileHeaders(metadata), await service.withContent(file, metadata));
        });
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
        return sendRaw(call.reply, file.content, file);
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
        const { request, params, subject } = call;
        const file = await service.findFile(services, call, params.file_path, params.ref);
        if (request.method === 'HEAD') return headersOnly(call, file);
        await limitLargeBlob(services, subject, file.size, rawAddress);
        const metadata = await service.describeFile(services, call, file);
        return new Beside(fileHeaders(metadata), await service.blameFile(services, call, file, params.range));
      },
    }),
  ];
}
