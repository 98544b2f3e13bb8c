import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const deflate = promisify(gzip);

const exposed = [
  'Link',
  'X-Total',
  'X-Total-Pages',
  'X-Per-Page',
  'X-Page',
  'X-Next-Page',
  'X-Prev-Page',
  'X-Gitlab-Blob-Id',
  'X-Gitlab-Commit-Id',
  'X-Gitlab-Content-Sha256',
  'X-Gitlab-Encoding',
  'X-Gitlab-File-Name',
  'X-Gitlab-File-Path',
  'X-Gitlab-Last-Commit-Id',
  'X-Gitlab-Ref',
  'X-Gitlab-Size',
  'X-Request-Id',
  'ETag',
].join(', ');

/** What every answer under the API carries. */
export function standardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'x-request-id': request.id,
    'x-gitlab-meta': `{"correlation_id":"${request.id}","version":"1"}`,
    'x-frame-options': 'SAMEORIGIN',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'strict-origin-when-cross-origin',
    vary: 'Origin, Accept-Encoding',
    'x-runtime': (reply.elapsedTime / 1000).toFixed(6),
  });
  if (request.headers.origin !== undefined) {
    reply.header('access-control-allow-origin', '*');
    reply.header('access-control-expose-headers', exposed);
  }
}

/** What a browser asks before it sends a request of another origin. */
export function preflightHeaders(request: FastifyRequest, methods: string): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': methods,
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': '7200',
  };
}

const compressFrom = 2048;

/** The weak tag of a text. */
export function tagOf(text: string): string {
  return `W/"${hash('sha1', text, 'base64url')}"`;
}

/** Sends a JSON text: weak tag, 304 when the client has it already, gzip where it is worth it. */
export function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  tag = reply.statusCode === 200 ? tagOf(text) : '',
): string | Promise<Buffer> {
  reply.header('content-type', 'application/json');
  if (reply.statusCode !== 200) {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache');
  } else if (!reply.hasHeader('cache-control')) {
    reply.headers({ etag: tag, 'cache-control': 'max-age=0, private, must-revalidate' });
    if (request.headers['if-none-match'] === tag && (request.method === 'GET' || request.method === 'HEAD')) {
      reply.code(304).removeHeader('content-type');
      return '';
    }
  }
  if (text.length < compressFrom || !request.headers['accept-encoding']?.includes('gzip')) return text;
  reply.header('content-encoding', 'gzip');
  return deflate(text, { level: 1 });
}
