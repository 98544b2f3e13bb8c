import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import { readCredentials } from '../../../access/credentials/request-credentials.ts';
import { openToken, sealToken } from '../../../access/credentials/sealed-token.ts';
import type { Services } from '../../../access/services.ts';
import { Unauthorized } from '../../../platform/http/errors.ts';
import { challengeFor } from '../basic-challenge.ts';

function requireSomebody(caller: Actor): void {
  if (caller.user === null && !caller.deploy) throw challengeFor(caller, new Unauthorized());
}

/** What Conan sends from now on: it has asked with a name and a token, and keeps neither. */
export function sendToken({ encryption }: Services, caller: Actor, request: FastifyRequest, reply: FastifyReply) {
  requireSomebody(caller);
  const credentials = readCredentials(request.headers);
  const given = credentials.kind === 'basic' ? credentials.password : credentials.kind === 'token' && credentials.token;
  if (!given) throw new Unauthorized();
  // One that is sealed already is good for as long as it was.
  const sealed = openToken(encryption, given) === undefined ? sealToken(encryption, given) : given;
  return reply.type('text/plain; charset=utf-8').send(sealed);
}

/** Says that whoever asks is known. */
export function confirm(caller: Actor, reply: FastifyReply) {
  requireSomebody(caller);
  return reply.type('text/plain; charset=utf-8').send('ok');
}

/** Says that this is a registry for Conan, and that it knows revisions. */
export function pong(reply: FastifyReply) {
  return reply.header('x-conan-server-capabilities', 'revisions').type('application/json').send('""');
}
