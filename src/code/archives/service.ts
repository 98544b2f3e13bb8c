import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../access/services.ts';
import type { ArchiveFormat } from '../../platform/git/archive/archive.ts';
import { Forbidden, HttpError } from '../../platform/http/errors.ts';
import { readRange } from '../../platform/http/responses/byte-range.ts';
import { disposition } from '../../platform/http/responses/raw.ts';
import { admitDownload } from '../download-limits/public.ts';
import { enforceRateLimit, type ProjectCall } from '../repository/public.ts';
import type { ArchiveCache, CachedArchive } from './cache.ts';
import { isEmbedded } from './embedding.ts';
import { type ArchiveRequest, planArchive, streamArchive } from './plan.ts';

/** A call that answers with an archive. */
export interface ArchiveCall extends ProjectCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const rateLimitMessage = 'This archive has been requested too many times. Try again later.';
// Anonymous users share one counter per project, so its limit is this many times higher.
const anonymousShare = 20;
// Up to this size, a single read is faster than a stream and takes no more memory.
const maxSingleRead = 64 * 1024;

async function limitArchives(services: Services, { caller, subject }: ProjectCall): Promise<void> {
  const rate = services.config.archiveRate;
  const shared = rate && { ...rate, count: rate.count * anonymousShare };
  const key = `${caller.user?.id ?? 'anonymous'}:${subject.project.id}`;
  await enforceRateLimit(services, 'archive', key, caller.user ? rate : shared, rateLimitMessage);
}

/** Sends an archive: 304, a cached copy or a range of it, or a newly generated stream. */
export async function sendArchive(
  services: Services,
  cache: ArchiveCache,
  call: ArchiveCall,
  format: ArchiveFormat,
  archiveRequest: ArchiveRequest,
): Promise<FastifyReply> {
  const { subject, request, reply } = call;
  await limitArchives(services, call);
  if (!(await admitDownload(services, call.caller, subject))) throw new Forbidden();
  if (isEmbedded(request.headers)) throw new HttpError(406, { message: '406 Not Acceptable' });
  const plan = await planArchive(services, subject, format, archiveRequest);
  const tag = `"${plan.key}"`;
  reply.headers({
    etag: tag,
    'cache-control': 'max-age=0, private, must-revalidate',
    'content-type': format === 'zip' ? 'application/zip' : 'application/octet-stream',
    'content-disposition': disposition('attachment', plan.filename),
    'content-transfer-encoding': 'binary',
  });
  if (matchesTag(request.headers['if-none-match'], tag)) return unchanged(reply);
  const cached = await cache.open(plan.key);
  if (cached) return sendCached(request, reply, cached, tag);
  if (request.method === 'HEAD') return headersOnly(reply);
  const { stream, isWhole } = await streamArchive(services, call, plan);
  return reply.send(cache.keep(plan.key, stream, isWhole));
}

// Fastify keeps the `content-length` header as set only for streams.
function headersOnly(reply: FastifyReply): FastifyReply {
  return reply.send(Readable.from([]));
}

function matchesTag(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}

function unchanged(reply: FastifyReply): FastifyReply {
  for (const name of ['content-type', 'content-disposition', 'content-transfer-encoding']) reply.removeHeader(name);
  return reply.code(304).send();
}

async function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, size }: CachedArchive,
  tag: string,
): Promise<FastifyReply> {
  const condition = request.headers['if-range'];
  const range = condition === undefined || condition === tag ? readRange(request.headers.range, size) : undefined;
  reply.header('accept-ranges', 'bytes');
  if (range === 'beyond' || request.method === 'HEAD') await file.close();
  if (range === 'beyond') throw new HttpError(416, '', { 'content-range': `bytes */${size}` });
  if (request.method === 'HEAD') return headersOnly(reply.header('content-length', size));
  if (!range && size <= maxSingleRead) return reply.send(await file.readFile().finally(() => file.close()));
  if (!range) return reply.header('content-length', size).send(file.createReadStream());
  const { start, end } = range;
  reply.code(206).headers({ 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': end - start + 1 });
  return reply.send(file.createReadStream({ start, end }));
}
