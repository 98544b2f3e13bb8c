import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../access/services.ts';
import type { ArchiveFormat } from '../../platform/git/archive/archive.ts';
import { Forbidden, HttpError } from '../../platform/http/errors.ts';
import { readRange } from '../../platform/http/responses/byte-range.ts';
import { disposition } from '../../platform/http/responses/raw.ts';
import { admitDownload } from '../download-limits/public.ts';
import { countAgainst, type ProjectCall } from '../repository/public.ts';
import type { ArchiveCache, Kept } from './cache.ts';
import { isEmbedded } from './embedding.ts';
import { type ArchiveRequest, makeArchive, planArchive } from './plan.ts';

/** One request for an archive on its way. */
export interface ArchiveCall extends ProjectCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const tooMany = 'This archive has been requested too many times. Try again later.';
// Those who do not sign in share one count, and so have more of it.
const anonymousShare = 20;
// Up to here reading at once is quicker than a stream, and takes no more memory.
const small = 64 * 1024;

async function limitArchives(services: Services, { caller, subject }: ProjectCall): Promise<void> {
  const rate = services.config.archiveRate;
  const shared = rate && { ...rate, count: rate.count * anonymousShare };
  const key = `${caller.user?.id ?? 'anonymous'}:${subject.project.id}`;
  await countAgainst(services, 'archive', key, caller.user ? rate : shared, tooMany);
}

/** Answers with an archive: nothing new, a kept copy or a part of it, or one that is made on the way. */
export async function sendArchive(
  services: Services,
  cache: ArchiveCache,
  call: ArchiveCall,
  format: ArchiveFormat,
  wanted: ArchiveRequest,
): Promise<FastifyReply> {
  const { subject, request, reply } = call;
  await limitArchives(services, call);
  if (!(await admitDownload(services, call.caller, subject))) throw new Forbidden();
  if (isEmbedded(request.headers)) throw new HttpError(406, { message: '406 Not Acceptable' });
  const plan = await planArchive(services, subject, format, wanted);
  const tag = `"${plan.key}"`;
  reply.headers({
    etag: tag,
    'cache-control': 'max-age=0, private, must-revalidate',
    'content-type': format === 'zip' ? 'application/zip' : 'application/octet-stream',
    'content-disposition': disposition('attachment', plan.filename),
    'content-transfer-encoding': 'binary',
  });
  if (knows(request.headers['if-none-match'], tag)) return unchanged(reply);
  const kept = await cache.open(plan.key);
  if (kept) return sendKept(request, reply, kept, tag);
  if (request.method === 'HEAD') return headersOnly(reply);
  const { stream, isWhole } = await makeArchive(services, call, plan);
  return reply.send(cache.keep(plan.key, stream, isWhole));
}

// Of a stream alone Fastify leaves the length as it is told.
function headersOnly(reply: FastifyReply): FastifyReply {
  return reply.send(Readable.from([]));
}

function knows(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}

function unchanged(reply: FastifyReply): FastifyReply {
  for (const name of ['content-type', 'content-disposition', 'content-transfer-encoding']) reply.removeHeader(name);
  return reply.code(304).send();
}

async function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, size }: Kept,
  tag: string,
): Promise<FastifyReply> {
  const condition = request.headers['if-range'];
  const asked = condition === undefined || condition === tag ? readRange(request.headers.range, size) : undefined;
  reply.header('accept-ranges', 'bytes');
  if (asked === 'beyond' || request.method === 'HEAD') await file.close();
  if (asked === 'beyond') throw new HttpError(416, '', { 'content-range': `bytes */${size}` });
  if (request.method === 'HEAD') return headersOnly(reply.header('content-length', size));
  if (!asked && size <= small) return reply.send(await file.readFile().finally(() => file.close()));
  if (!asked) return reply.header('content-length', size).send(file.createReadStream());
  const { start, end } = asked;
  reply.code(206).headers({ 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': end - start + 1 });
  return reply.send(file.createReadStream({ start, end }));
}
