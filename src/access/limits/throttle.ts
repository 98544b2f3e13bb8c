import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../../platform/http/errors.ts';
import { isInProcess } from '../../platform/http/in-process.ts';
import { type Rate, type RateLimits, throttleHeaders } from '../../platform/http/server/rate-limits.ts';
import type { Actor } from '../actor.ts';
import { throttleRate } from '../application-settings/effective.ts';
import type { ApplicationSettings } from '../application-settings/list.ts';
import type { Services } from '../services.ts';

/** What has a throttle of its own. */
const apart = {
  files: /^\/api\/v4\/projects\/[^/?]+\/repository\/files\//,
  packages: /^\/api\/v4(?:\/(?:projects|groups)\/[^/?]+(?:\/-)?)?\/packages(?:[/?]|$)/,
} as const;
const kinds = Object.keys(apart) as (keyof typeof apart)[];

interface Throttle {
  readonly name: string;
  readonly rate: Rate;
}

/** Whom a request is counted for. */
function counted({ user, deploy }: Actor, { ip }: FastifyRequest): string | number {
  return user?.id ?? (deploy ? `deploy-token:${deploy.id}` : ip);
}

/** The throttle that counts a request: that of files or packages stands in for the general one where it is on. */
function throttleFor(settings: ApplicationSettings, actor: Actor, url: string): Throttle | undefined {
  const who = actor.user || actor.deploy ? 'authenticated' : 'unauthenticated';
  const kind = kinds.find((each) => apart[each].test(url));
  const own = kind && throttleRate(settings, `${who}_${kind}_api`);
  if (own) return { name: `throttle_${who}_${kind}_api`, rate: own };
  const rate = throttleRate(settings, `${who}_api`);
  return rate && { name: `throttle_${who}_api`, rate };
}

const anyOn = new WeakMap<ApplicationSettings, boolean>();

/** Is any of the throttles on? Nearly everywhere none is, and every request asks. */
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

/** The general throttle: per user or deploy token, or per address for those who are not signed in. Off unless the settings say a rate. What a page or a query asks in process is part of the one request that was counted. */
export function createThrottle({ settings, limits }: Pick<Services, 'settings' | 'limits'>) {
  return (actor: Actor, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const known = settings.known();
    if ((known && !throttles(known)) || isInProcess()) return undefined;
    return countRequest(known ?? settings.read(), limits, actor, request, reply);
  };
}

/** Where somebody stands against the throttle of pages; undefined where there is none. */
export async function countPage(
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
  return { exceeded: state.exceeded, headers: throttleHeaders(name, state, rate), said: retryText(set) };
}

/** What is said to who asks too often. */
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
  // The address has many spellings that lead to one route.
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
