import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers in wire order: a name, its value, the next name. */
export type HeaderList = readonly string[];

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

const fixed: HeaderList = [
  ...['x-frame-options', 'SAMEORIGIN'],
  ...['x-content-type-options', 'nosniff'],
  ...['content-security-policy', "default-src 'none'"],
  ...['referrer-policy', 'strict-origin-when-cross-origin'],
  ...['vary', 'Origin, Accept-Encoding'],
];
const forOtherOrigins: HeaderList = [
  ...fixed,
  ...['access-control-allow-origin', '*'],
  ...['access-control-expose-headers', exposed],
];

/** Headers of every API response. */
export function standardHeaders(request: FastifyRequest, reply: FastifyReply): HeaderList {
  return [
    ...(request.headers.origin === undefined ? fixed : forOtherOrigins),
    ...['x-request-id', request.id],
    ...['x-gitlab-meta', `{"correlation_id":"${request.id}","version":"1"}`],
    ...['x-runtime', (reply.elapsedTime / 1000).toFixed(6)],
  ];
}

/** Converts a record of headers to a list. */
export function headerList(headers: Readonly<Record<string, string>>): HeaderList {
  return Object.entries(headers).flat();
}

/** Sets the headers of a list on a reply. */
export function setHeaders(reply: FastifyReply, headers: HeaderList): FastifyReply {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] as string, headers[at + 1]);
  return reply;
}

/** Headers of a CORS preflight response. */
export function preflightHeaders(request: FastifyRequest, methods: string): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': methods,
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': '7200',
  };
}
