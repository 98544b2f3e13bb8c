import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HeaderList } from './headers.ts';
import { sendBuffered } from './send-buffered.ts';

const deflate = promisify(gzip);
const compressFrom = 2048;

/** A JSON text as it goes out, and what is worked out of it once: an answer may be kept and sent again. */
export class JsonAnswer {
  readonly body: string | Buffer;
  /** Its own, such as those of a page. */
  readonly headers: HeaderList;
  #tag: string | undefined;
  #zipped: Promise<Buffer> | undefined;

  constructor(text: string, headers: HeaderList = []) {
    this.body = text.length < compressFrom && !headers.some(isBeyondAscii) ? text : Buffer.from(text);
    this.headers = headers;
  }

  /** The weak tag of the text. */
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
 * Node sends a text together with the headers, as one text in UTF-8: quick for a short one, but the bytes of a header
 * that are beyond ASCII would be encoded once more.
 */
function isBeyondAscii(header: string): boolean {
  return /\P{ASCII}/u.test(header);
}

const type: HeaderList = ['content-type', 'application/json'];
const fresh: HeaderList = ['cache-control', 'max-age=0, private, must-revalidate'];
const notKept: HeaderList = ['cache-control', 'no-cache'];

/** Sends a JSON answer: weak tag, 304 when the client has it already, gzip where it is worth it. */
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
    } else headers.push(...notKept);
  }
  headers.push(...type);
  if (answer.body.length < compressFrom || !request.headers['accept-encoding']?.includes('gzip')) {
    return sendBuffered(request, reply, headers, answer.body);
  }
  headers.push('content-encoding', 'gzip');
  return answer.zipped.then((bytes) => sendBuffered(request, reply, headers, bytes));
}

/** Whether the client has the answer already, by its tag. */
function isKnown({ method, headers }: FastifyRequest, answer: JsonAnswer): boolean {
  return headers['if-none-match'] === answer.tag && (method === 'GET' || method === 'HEAD');
}
