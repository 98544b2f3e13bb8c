import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Range, readRange } from '../../../platform/http/responses/byte-range.ts';
import { type ArchiveEntry, contentTypeOf } from '../../artifacts/public.ts';
import type { DeploymentRow } from '../tables.ts';
import type { SiteFiles } from './files.ts';

/** Precompressed variants of files, smallest first. */
const encodings = [
  { ending: '.br', name: 'br' },
  { ending: '.gz', name: 'gzip' },
] as const;

/** How a file is sent. */
export interface Sending {
  readonly deployment: DeploymentRow;
  readonly status: number;
  /** Public sites can be cached and read across origins. */
  readonly open: boolean;
}

function accepts(header: string | string[] | undefined, name: string): boolean {
  const codings = String(header ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase());
  return codings.some((one) => {
    const [coding = '', ...weights] = one.split(';').map((part) => part.trim());
    return coding === name && !weights.some((weight) => /^q=0(\.0*)?$/.test(weight));
  });
}

/** Sends a file of a site, or 304 if the client has it. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  files: SiteFiles,
  found: { readonly path: string; readonly entry: ArchiveEntry },
  { deployment, status, open }: Sending,
): Promise<FastifyReply> {
  const { entry, coding } = await precompressed(request, files, found);
  const tag = `"${deployment.id.toString(36)}-${entry.crc.toString(16)}${coding === undefined ? '' : `-${coding}`}"`;
  reply
    .header('content-type', contentTypeOf(found.path))
    .header('x-content-type-options', 'nosniff')
    .header('etag', tag)
    .header('last-modified', new Date(deployment.created_at).toUTCString())
    .header('vary', 'accept-encoding')
    .header('cache-control', open ? 'max-age=600' : 'private, no-cache');
  if (open) reply.header('access-control-allow-origin', '*');
  if (coding !== undefined) reply.header('content-encoding', coding);
  if (status === 200 && isKnown(request, tag)) return reply.code(304).removeHeader('content-type').send();
  const range = status === 200 ? rangeOf(request, tag, entry.size) : undefined;
  reply.header('accept-ranges', 'bytes');
  if (range === 'beyond') return reply.code(416).header('content-range', `bytes */${entry.size}`).send();
  const { start, end } = range ?? { start: 0, end: entry.size - 1 };
  reply.code(range ? 206 : status).header('content-length', end - start + 1);
  if (range) reply.header('content-range', `bytes ${start}-${end}/${entry.size}`);
  if (request.method === 'HEAD') return reply.send();
  const stream = await entry.open();
  if (!stream) throw new Error(`the file ${found.path} of the site ${deployment.id} cannot be read`);
  return reply.send(range ? Readable.from(part(stream, range), { objectMode: false }) : stream);
}

async function precompressed(
  { headers }: FastifyRequest,
  files: SiteFiles,
  { path, entry }: { readonly path: string; readonly entry: ArchiveEntry },
): Promise<{ readonly entry: ArchiveEntry; readonly coding?: string }> {
  for (const { ending, name } of encodings) {
    if (!accepts(headers['accept-encoding'], name)) continue;
    const smaller = await files.find(path + ending);
    if (smaller) return { entry: smaller, coding: name };
  }
  return { entry };
}

function isKnown({ headers }: FastifyRequest, tag: string): boolean {
  const known = headers['if-none-match'];
  return known?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*') ?? false;
}

function rangeOf({ headers, method }: FastifyRequest, tag: string, size: number): Range | 'beyond' | undefined {
  const condition = headers['if-range'];
  if (method !== 'GET' || (condition !== undefined && condition !== tag)) return undefined;
  return readRange(headers.range, size);
}

/** Slices a stream: skips the bytes before the range and stops reading after it. */
async function* part(stream: AsyncIterable<Buffer>, { start, end }: Range): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of stream) {
    const piece = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += chunk.length;
    if (piece.length > 0) yield piece;
    if (at > end) return;
  }
}
