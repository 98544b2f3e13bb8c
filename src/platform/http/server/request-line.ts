import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestLine } from '../../log.ts';

/** What the log keeps of an answered request. */
export function requestLine(request: FastifyRequest, reply: FastifyReply): RequestLine {
  const length = Number(reply.getHeader('content-length'));
  return {
    requestId: request.id,
    method: request.method,
    url: request.originalUrl,
    status: reply.statusCode,
    duration: Math.round(reply.elapsedTime * 100) / 100,
    remote: request.ip,
    ...(Number.isFinite(length) ? { bytes: length } : {}),
    ...(request.headers['user-agent'] === undefined ? {} : { agent: request.headers['user-agent'] }),
  };
}
