import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { HttpError } from '../platform/http/errors.ts';
import { type RateLimits, throttleHeaders } from '../platform/http/rate-limits.ts';
import type { Actor } from './actor.ts';

/** The general throttle: per user, or per address for those who are not signed in. Off unless the settings say a rate. */
export function createThrottle(config: Config, limits: RateLimits) {
  const { userRate, anonymousRate } = config;
  if (!userRate && !anonymousRate) return undefined;
  return async (actor: Actor, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const rate = actor.user ? userRate : anonymousRate;
    if (!rate) return;
    const name = actor.user ? 'throttle_authenticated_api' : 'throttle_unauthenticated_api';
    const state = await limits.count(name, actor.user?.id ?? request.ip, rate);
    const headers = throttleHeaders(name, state, rate);
    if (state.exceeded) throw new HttpError(429, 'Retry later\n', { ...headers, 'content-type': 'text/plain' });
    reply.headers(headers);
  };
}
