import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../../platform/http/errors.ts';
import { isInProcess } from '../../platform/http/in-process.ts';
import { type Rate, type RateLimits, throttleHeaders } from '../../platform/http/server/rate-limits.ts';
import type { Actor } from '../actor.ts';
import { throttleRate } from '../application-settings/effective.ts';
import type { ApplicationSettings } from '../application-settings/list.ts';
import type { Services } from '../services.ts';

/** URLs with a throttle of their own. */
const separate = {
  files: /^\/api\/v4\/projects\/[^/?]+\/repository\/files\//,
  packages: /^\/api\/v4(?:\/(?:projects|groups)\/[^/?]+(?:\/-)?)?\/packages(?:[/?]|$)/,
} as const;
const kinds = Object.keys(separate) as (keyof typeof separate)[];

interface Throttle {
  readonly name: string;
  readonly rate: Rate;
}

/** The key under which a request is counted. */
function counted({ user, deploy }: Actor, { ip }: FastifyRequest): string | number {
  return user?.id ?? (deploy ? `deploy-token:${deploy.id}` : ip);
}

/** The throttle that applies to a request: that of files or packages replaces the general one if it is enabled. */
function throttleFor(settings: ApplicationSettings, actor: Actor, url: string): Throttle | undefined {
  const who = actor.user || actor.deploy ? 'authenticated' : 'unauthenticated';
  const kind = kinds.find((each) => separate[each].test(url));
  const own = kind && throttleRate(settings, `${who}_${kind}_api`);
  if (own) return { name: `throttle_${who}_${kind}_api`, rate: own };
  const rate = throttleRate(settings, `${who}_api`);
  return rate && { name: `throttle_${who}_api`, rate };
}

const anyOn = new WeakMap<ApplicationSettings, boolean>();

/** Whether any throttle is enabled. Cached, because every request needs it and usually none is. */
export function throttles(settings: ApplicationSettings): boolean {
  let any = anyOn.get(settings);
  if (any === undefined) {
    const names = (['authenticated', 'unauthenticated'] as const).flatMap((who) => [
      `${who}_api` as const,
      ...kinds.map((kind) => `${who}_${kind}_api` as const),
    ]);
    any = names.some((name) => throttleRate(settings, name) !== undefined);
    anyOn.set(settings, any);
  }
  return any;
}

/**
 * The general throttle: per user or deploy token, or per IP address without sign-in. Disabled unless the settings
 * define a rate. Calls that a page or a GraphQL query makes in process belong to the request that was already counted.
 */
export function createThrottle({ settings, limits }: Pick<Services, 'settings' | 'limits'>) {
  return (actor: Actor, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const known = settings.known();
    if ((known && !throttles(known)) || isInProcess()) return undefined;
    return countRequest(known ?? settings.read(), limits, actor, request, reply);
  };
}

/** Counts a web request; returns its state, or undefined if the throttle is disabled. */
export async function countWebRequest(
  { settings, limits }: Pick<Services, 'settings' | 'limits'>,
  { user }: Pick<Actor, 'user'>,
  ip: string,
) {
  const usual = user ? 'authenticated_web' : 'unauthenticated_web';
  const set = await settings.read();
  const rate = throttleRate(set, usual);
  if (!rate) return undefined;
  const name = `throttle_${usual}`;
  const state = await limits.count(name, user?.id ?? ip, rate);
  return { exceeded: state.exceeded, headers: throttleHeaders(name, state, rate), retryMessage: retryText(set) };
}

/** The response text for rate-limited requests. */
export const retryText = (settings: ApplicationSettings): string =>
  settings.rate_limiting_response_text?.trim() || 'Retry later';

async function countRequest(
  settings: ApplicationSettings | Promise<ApplicationSettings>,
  limits: RateLimits,
  actor: Actor,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const set = await settings;
  // By route rather than by URL: encoded and unencoded URLs lead to the same route.
  const throttle = throttleFor(set, actor, request.routeOptions.url ?? request.url);
  if (!throttle) return;
  const { name, rate } = throttle;
  const state = await limits.count(name, counted(actor, request), rate);
  const headers = throttleHeaders(name, state, rate);
  if (state.exceeded) {
    throw new HttpError(429, `${retryText(set)}\n`, { ...headers, 'content-type': 'text/plain' });
  }
  reply.headers(headers);
}
