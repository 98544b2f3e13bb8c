import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { throttleRate } from '../../access/application-settings/effective.ts';
import { readCredentials } from '../../access/credentials/request-credentials.ts';
import type { Services } from '../../access/services.ts';
import { settingsOf } from '../../access/subjects.ts';
import { inflated } from '../../platform/git/transport/transport.ts';
import { checkJsonShape } from '../../platform/http/parameters/nested-params.ts';
import { type ByteRange, FileMismatch, FileTooLarge, RangeUnsatisfiable } from '../../platform/storage/storage.ts';
import { largeFileProblem } from '../size-limit/public.ts';
import {
  type Authenticate,
  type GitAccess,
  type GitOperation,
  GitRefusal,
  openRepository,
} from '../transport/public.ts';
import { answerBatch, readBatch } from './batch.ts';
import { createLock, deleteLock, type LockFilter, listLocks, verifyLocks } from './locks/service.ts';
import { asLfsRefusal, LfsRefusal } from './refusal.ts';
import { isLfsOid, lfsObject, storeLfsObject } from './service.ts';
import { linkedObjects } from './store.ts';
import { issueLfsToken, lfsAuthorization, lfsSecondsLeft } from './token.ts';

const mediaType = 'application/vnd.git-lfs+json';

type LfsRequest = FastifyRequest<{ Params: { path: string; oid: string; size: string; id: string } }>;

/** The Git LFS HTTP API: batch requests, object transfer and locks. Registered as a Fastify plugin. */
export function lfsRoutes({
  services,
  authenticate,
}: {
  readonly services: Services;
  readonly authenticate: Authenticate;
}) {
  const { db, config } = services;

  async function open(request: LfsRequest, operation: GitOperation): Promise<GitAccess> {
    const actor = await authenticate(readCredentials(request.headers), request.ip);
    const { gitRate } = config;
    const state = gitRate && (await services.limits.count('git', actor.user?.id ?? request.ip, gitRate));
    if (state?.exceeded) throw new GitRefusal(429, 'Retry later');
    await throttle(actor);
    const access = await openRepository(services, { actor, path: request.params.path, operation, protocol: 'http' });
    if (settingsOf(access.subject.project).lfs_enabled === false) throw new LfsRefusal(404, 'Not found.');
    return access;
  }

  async function throttle({ user }: Actor): Promise<void> {
    const rate = user ? throttleRate(await services.settings.read(), 'authenticated_git_lfs') : undefined;
    if (!user || !rate) return;
    const { exceeded } = await services.limits.count('throttle_authenticated_git_lfs', user.id, rate);
    if (exceeded) throw new GitRefusal(429, 'Retry later');
  }

  async function readJson(request: FastifyRequest): Promise<unknown> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of inflated(request.raw, request.headers['content-encoding'])) {
      size += (chunk as Buffer).length;
      if (size > config.maxBody) throw new LfsRefusal(413, 'The request is too large.');
      chunks.push(chunk as Buffer);
    }
    try {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
      checkJsonShape(body);
      return body;
    } catch {
      throw new LfsRefusal(400, 'The request is not valid JSON.');
    }
  }

  async function batch(request: LfsRequest): Promise<unknown> {
    const batchRequest = readBatch(await readJson(request));
    if (!batchRequest) throw new LfsRefusal(422, 'The request is not a batch of objects.');
    const access = await open(request, batchRequest.operation === 'upload' ? 'push' : 'pull');
    if (batchRequest.objects.length === 0) throw new LfsRefusal(404, 'Not found.');
    const { subject, actor } = access;
    const oids = batchRequest.objects.map((object) => object.oid);
    const stored = await linkedObjects(db.read, subject.project.id, oids);
    if (batchRequest.operation === 'upload') {
      const storedOids = new Set(stored.map((row) => row.oid));
      await checkRoom(
        access,
        batchRequest.objects.reduce((sum, { oid, size }) => sum + (storedOids.has(oid) ? 0 : size), 0),
      );
    }
    const signedIn = actor.carrier !== 'none';
    return answerBatch(batchRequest, {
      address: `${services.externalUrl}/${subject.fullPath}.git`,
      stored: new Map(stored.map((row) => [row.oid, row])),
      ...(signedIn
        ? {
            authorization: lfsAuthorization(issueLfsToken(services, actor, subject.project.id, batchRequest.operation)),
          }
        : {}),
      expiresIn: lfsSecondsLeft(actor),
      maxSize: config.maxLfsFile,
    });
  }

  async function checkRoom({ subject }: GitAccess, more: number): Promise<void> {
    const problem = more === 0 ? undefined : await largeFileProblem(services, subject.project, more);
    if (problem !== undefined) throw new LfsRefusal(406, problem);
  }

  async function fetch(request: LfsRequest, reply: FastifyReply): Promise<unknown> {
    const { subject } = await open(request, 'pull');
    const { oid } = request.params;
    const range = readRange(request.headers.range);
    const file = isLfsOid(oid) ? await lfsObject(services, subject.project.id, oid, range) : undefined;
    if (!file) throw new LfsRefusal(404, 'Not found.');
    reply.type('application/octet-stream').header('accept-ranges', 'bytes');
    if (!range) return reply.header('content-length', file.size).send(file.stream);
    const end = Math.min(range.end ?? file.size - 1, file.size - 1);
    return reply
      .code(206)
      .header('content-range', `bytes ${range.start}-${end}/${file.size}`)
      .header('content-length', end - range.start + 1)
      .send(file.stream);
  }

  async function store(request: LfsRequest, reply: FastifyReply): Promise<unknown> {
    const access = await open(request, 'push');
    const { subject } = access;
    const { oid, size: text } = request.params;
    if (!isLfsOid(oid) || !/^\d{1,15}$/.test(text)) throw new LfsRefusal(404, 'Not found.');
    const size = Number(text);
    if (size > config.maxLfsFile) throw new LfsRefusal(406, 'The object exceeds the maximum size.');
    await checkRoom(access, size);
    await storeLfsObject(services, subject.project.id, { oid, size }, request.raw);
    return reply.code(200).type('text/plain').send('');
  }

  function mount(
    app: FastifyInstance,
    method: 'GET' | 'POST',
    url: string,
    handle: (request: LfsRequest, reply: FastifyReply) => Promise<unknown>,
  ): void {
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const answer = await handle(request as LfsRequest, reply);
        return reply.type(mediaType).send(toBytes(answer));
      },
    });
  }

  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    app.setErrorHandler((error, _request, reply) => {
      const refusal = asLfsRefusal(asMismatch(error));
      if (!refusal) throw error;
      if (refusal.status === 401) {
        reply.headers({ 'lfs-authenticate': 'Basic realm="GitLab"', 'www-authenticate': 'Basic realm="GitLab"' });
      }
      if (refusal.status === 429 || refusal.status === 503) reply.header('retry-after', '5');
      return reply
        .code(refusal.status)
        .type(mediaType)
        .send(toBytes({ message: refusal.message, ...refusal.extra }));
    });
    mount(app, 'POST', '/-/git/:path/info/lfs/objects/batch', batch);
    for (const [method, url] of [
      ['POST', '/-/git/:path/info/lfs/objects'],
      ['GET', '/-/git/:path/info/lfs/objects/:oid'],
    ] as const) {
      mount(app, method, url, async () => {
        const message = 'Server supports batch API only, please update your Git LFS client to version 1.0.1 and up.';
        throw new LfsRefusal(501, message, { documentation_url: `${services.externalUrl}/help` });
      });
    }
    mount(app, 'GET', '/-/git/:path/info/lfs/locks', async (request) => {
      const access = await open(request, 'pull');
      return listLocks(db, access, readFilter(request.query));
    });
    mount(app, 'POST', '/-/git/:path/info/lfs/locks', async (request, reply) => {
      const body = (await readJson(request)) as { path?: unknown };
      const answer = await createLock(db, await open(request, 'push'), body?.path);
      reply.code(201);
      return answer;
    });
    mount(app, 'POST', '/-/git/:path/info/lfs/locks/verify', async (request) => {
      const body = await readJson(request);
      return verifyLocks(db, await open(request, 'push'), readFilter(body));
    });
    mount(app, 'POST', '/-/git/:path/info/lfs/locks/:id/unlock', async (request) => {
      const body = (await readJson(request)) as { force?: unknown };
      return deleteLock(db, await open(request, 'push'), request.params.id, body?.force === true);
    });
    app.get('/-/git/:path/gitlab-lfs/objects/:oid', (request, reply) => fetch(request as LfsRequest, reply));
    app.put('/-/git/:path/gitlab-lfs/objects/:oid/:size', (request, reply) => store(request as LfsRequest, reply));
  };
}

// Sent as bytes, because Fastify would add a charset to a string, which this media type does not have.
function toBytes(answer: unknown): Buffer {
  return Buffer.from(JSON.stringify(answer));
}

function readFilter(sent: unknown): LockFilter {
  const { id, path, cursor, limit } = (typeof sent === 'object' && sent !== null ? sent : {}) as Record<
    string,
    unknown
  >;
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const limitValue = Number(limit);
  return {
    ...(text(id) === undefined ? {} : { id: text(id) }),
    ...(text(path) === undefined ? {} : { path: text(path) }),
    ...(text(cursor) === undefined ? {} : { cursor: text(cursor) }),
    ...(Number.isSafeInteger(limitValue) && limitValue > 0 ? { limit: limitValue } : {}),
  };
}

function asMismatch(error: unknown): unknown {
  if (error instanceof FileMismatch) return new LfsRefusal(422, 'The content does not match the object.');
  if (error instanceof FileTooLarge) return new LfsRefusal(406, 'The object is larger than announced.');
  if (error instanceof RangeUnsatisfiable) return new LfsRefusal(416, 'The range is outside of the object.');
  return error;
}

/** Parses a single range; undefined if absent or in a form that LFS clients do not use. */
function readRange(header: string | undefined): ByteRange | undefined {
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '');
  if (!match) return undefined;
  const start = Number(match[1]);
  if (match[2] === '' || match[2] === undefined) return { start };
  const end = Number(match[2]);
  return end < start ? undefined : { start, end };
}
