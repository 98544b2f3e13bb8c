import type { FastifyReply, FastifyRequest } from 'fastify';
import { type HeaderList, setHeaders, standardHeaders } from './headers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The server is shutting down: each response closes its connection. */
    closing: boolean;
  }
}

/**
 * Sends a complete body, bypassing Fastify where nothing prevents it. Fastify copies each header into an object and out
 * again around its hooks, which for the thirty headers of a file took as long as the rest of the request.
 */
export function sendBuffered(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: HeaderList,
  body: string | Buffer,
): FastifyReply {
  if (request.method === 'HEAD' || reply.server.closing || Object.keys(reply.getHeaders()).length > 0) {
    return setHeaders(reply, headers).send(body);
  }
  const sized = reply.statusCode === 304 ? [] : ['content-length', `${Buffer.byteLength(body)}`];
  // Before `hijack`, so that an invalid header is an error like any other.
  reply.raw.writeHead(reply.statusCode, [...headers, ...standardHeaders(request, reply), ...sized]);
  reply.hijack();
  reply.raw.end(body);
  // For the log.
  return setHeaders(reply, sized);
}
