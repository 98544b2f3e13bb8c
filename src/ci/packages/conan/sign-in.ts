import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import { readCredentials } from '../../../access/credentials/request-credentials.ts';
import { openToken, sealToken } from '../../../access/credentials/sealed-token.ts';
import type { Services } from '../../../access/services.ts';
import { Unauthorized } from '../../../platform/http/errors.ts';
import { challengeFor } from '../basic-challenge.ts';

function requireAuthentication(caller: Actor): void {
  if (caller.user === null && !caller.deploy) throw challengeFor(caller, new Unauthorized());
}

/** Exchanges credentials for the encrypted token Conan sends from now on, because it does not store the credentials. */
export function sendToken({ encryption }: Services, caller: Actor, request: FastifyRequest, reply: FastifyReply) {
  requireAuthentication(caller);
  const credentials = readCredentials(request.headers);
  const secret =
    credentials.kind === 'basic' ? credentials.password : credentials.kind === 'token' && credentials.token;
  if (!secret) throw new Unauthorized();
  // A token that is already encrypted keeps its expiry time.
  const sealed = openToken(encryption, secret) === undefined ? sealToken(encryption, secret) : secret;
  return reply.type('text/plain; charset=utf-8').send(sealed);
}

/** Confirms that the caller is authenticated. */
export function confirmCredentials(caller: Actor, reply: FastifyReply) {
  requireAuthentication(caller);
  return reply.type('text/plain; charset=utf-8').send('ok');
}

/** Identifies this server as a Conan registry with support for revisions. */
export function pong(reply: FastifyReply) {
  return reply.header('x-conan-server-capabilities', 'revisions').type('application/json').send('""');
}
