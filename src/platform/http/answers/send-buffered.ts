import type { FastifyReply, FastifyRequest } from 'fastify';
import { type HeaderList, setHeaders, standardHeaders } from './headers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The server is on its way out: each answer is the last one of its connection. */
    closing: boolean;
  }
}

/**
 * Sends an answer whose body is all there. Past Fastify, where nothing speaks against it: there each header is put into an
 * object by itself and taken out again behind the hooks, which for the thirty of a file took as long as all the rest of
 * the request.
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
  // Before Fastify lets go of it: a header that cannot be sent is then an error like any other.
  reply.raw.writeHead(reply.statusCode, [...headers, ...standardHeaders(request, reply), ...sized]);
  reply.hijack();
  reply.raw.end(body);
  // For the log.
  return setHeaders(reply, sized);
}
