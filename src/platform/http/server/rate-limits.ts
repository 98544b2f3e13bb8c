import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { TooManyRequests } from '../errors.ts';

/** A number of requests per number of milliseconds. */
export interface Rate {
  readonly count: number;
  readonly period: number;
}

export interface RateState {
  readonly limit: number;
  readonly observed: number;
  readonly remaining: number;
  readonly resetAt: number;
  readonly exceeded: boolean;
}

/** Counts requests per limit and key. Each process counts for itself. */
export class RateLimits {
  readonly #limiters = new Map<string, RateLimiterMemory>();

  /** Counts one request and returns the caller's state. */
  async count(name: string, key: string | number, rate: Rate): Promise<RateState> {
    const limiter = this.#limiter(name, rate);
    const state = await limiter.consume(String(key)).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    return stateOf(state, rate);
  }

  /** Returns the caller's state without counting. */
  async look(name: string, key: string | number, rate: Rate): Promise<RateState> {
    const state = await this.#limiter(name, rate).get(String(key));
    return stateOf(state ?? new RateLimiterRes(rate.count, 0, 0), rate);
  }

  /** Counts one request against an endpoint's own limit, if it has one; throws a 429 when it is exceeded. */
  async spend(name: string, key: string | number, rate: Rate | undefined, text?: string): Promise<void> {
    if (rate === undefined) return;
    const state = await this.count(name, key, rate);
    if (state.exceeded) throw new TooManyRequests(Math.ceil(rate.period / 1000), text);
  }

  /** Undoes `spend` for a request that had no effect. */
  async refund(name: string, key: string | number, rate: Rate | undefined): Promise<void> {
    if (rate !== undefined) await this.#limiter(name, rate).reward(String(key));
  }

  #limiter(name: string, rate: Rate): RateLimiterMemory {
    const id = `${name}:${rate.count}/${rate.period}`;
    let limiter = this.#limiters.get(id);
    if (!limiter) {
      limiter = new RateLimiterMemory({ keyPrefix: id, points: rate.count, duration: rate.period / 1000 });
      this.#limiters.set(id, limiter);
    }
    return limiter;
  }
}

function stateOf(state: RateLimiterRes, rate: Rate): RateState {
  return {
    limit: rate.count,
    observed: state.consumedPoints,
    remaining: state.remainingPoints,
    resetAt: Date.now() + state.msBeforeNext,
    exceeded: state.consumedPoints > rate.count,
  };
}

/** Headers that show a client its state under the general throttle. */
export function throttleHeaders(name: string, state: RateState, rate: Rate): Record<string, string> {
  const headers: Record<string, string> = {
    'ratelimit-limit': `${Math.ceil((state.limit * 60_000) / rate.period)}`,
    'ratelimit-name': name,
    'ratelimit-observed': `${state.observed}`,
    'ratelimit-remaining': `${Math.max(0, state.remaining)}`,
    'ratelimit-reset': `${Math.ceil(state.resetAt / 1000)}`,
  };
  if (!state.exceeded) return headers;
  return {
    ...headers,
    'ratelimit-resettime': new Date(state.resetAt).toUTCString(),
    'retry-after': `${Math.max(1, Math.ceil((state.resetAt - Date.now()) / 1000))}`,
  };
}
