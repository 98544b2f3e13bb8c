import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HeaderList } from './headers.ts';
import { sendBuffered } from './send-buffered.ts';

const deflate = promisify(gzip);
const compressFrom = 2048;

/** A JSON text to send, with what is derived from it once: a response may be cached and sent again. */
export class JsonAnswer {
  readonly body: string | Buffer;
  /** Headers of its own, such as those of pagination. */
  readonly headers: HeaderList;
  #tag: string | undefined;
  #zipped: Promise<Buffer> | undefined;

  constructor(text: string, headers: HeaderList = []) {
    this.body = text.length < compressFrom && !headers.some(isBeyondAscii) ? text : Buffer.from(text);
    this.headers = headers;
  }

  /** The weak ETag of the text. */
  get tag(): string {
    this.#tag ??= `W/"${hash('sha1', this.body, 'base64url')}"`;
    return this.#tag;
  }

  get zipped(): Promise<Buffer> {
    this.#zipped ??= deflate(this.body, { level: 1 });
    return this.#zipped;
  }
}

/**
 * Node sends a string body together with the headers as one UTF-8 string: fast for short ones, but non-ASCII header
 * bytes would be encoded twice.
 */
function isBeyondAscii(header: string): boolean {
  return /\P{ASCII}/u.test(header);
}

const type: HeaderList = ['content-type', 'application/json'];
const fresh: HeaderList = ['cache-control', 'max-age=0, private, must-revalidate'];
const notCached: HeaderList = ['cache-control', 'no-cache'];

/** Sends a JSON response: weak ETag, 304 if the client has it already, gzip where it pays off. */
export function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: JsonAnswer,
): FastifyReply | Promise<FastifyReply> {
  const headers = [...answer.headers];
  if (!reply.hasHeader('cache-control')) {
    if (reply.statusCode === 200) {
      headers.push('etag', answer.tag, ...fresh);
      if (isKnown(request, answer)) return sendBuffered(request, reply.code(304), headers, '');
    } else headers.push(...notCached);
  }
  headers.push(...type);
  if (answer.body.length < compressFrom || !request.headers['accept-encoding']?.includes('gzip')) {
    return sendBuffered(request, reply, headers, answer.body);
  }
  headers.push('content-encoding', 'gzip');
  return answer.zipped.then((bytes) => sendBuffered(request, reply, headers, bytes));
}

/** Whether the client's ETag matches. */
function isKnown({ method, headers }: FastifyRequest, answer: JsonAnswer): boolean {
  return headers['if-none-match'] === answer.tag && (method === 'GET' || method === 'HEAD');
}
