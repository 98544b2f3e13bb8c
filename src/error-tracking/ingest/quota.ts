import type { Services } from '../../access/services.ts';
import type { Rate } from '../../platform/http/server/rate-limits.ts';
import { OverQuota } from './refusal.ts';

/** The sender of a request. */
export interface Sender {
  readonly keyId: number;
  readonly projectId: number;
  readonly address: string;
}

interface Quota {
  readonly name: string;
  readonly key: string | number;
  readonly rate: Rate | undefined;
  readonly scope: 'key' | 'project';
}

/** Rate limits of a sender: per key, per project and per IP address. */
function quotasOf({ config }: Services, { keyId, projectId, address }: Sender): Quota[] {
  return [
    { name: 'error-key', key: keyId, rate: config.errorKeyRate, scope: 'key' },
    { name: 'error-project', key: projectId, rate: config.errorProjectRate, scope: 'project' },
    { name: 'error-day', key: projectId, rate: config.errorDailyRate, scope: 'project' },
    { name: 'error-address', key: address, rate: config.errorAddressRate, scope: 'key' },
  ];
}

/** Throws if a limit is already exhausted, before the request body is read. */
export async function checkQuota(services: Services, sender: Sender): Promise<void> {
  for (const quota of quotasOf(services, sender)) await check(services, quota, 'look');
}

/** Counts an event. Throws if a limit has been exhausted since it was checked. */
export async function spendQuota(services: Services, sender: Sender): Promise<void> {
  for (const quota of quotasOf(services, sender)) await check(services, quota, 'count');
}

/**
 * Limits requests without an event, e.g. sessions and client reports. They are cheap, so the limit is ten times as
 * high.
 */
export async function spendEventless(services: Services, { keyId }: Sender): Promise<void> {
  const rate = services.config.errorKeyRate;
  const wide = rate && { ...rate, count: rate.count * 10 };
  await check(services, { name: 'error-idle', key: keyId, rate: wide, scope: 'key' }, 'count');
}

/**
 * Counts a request that was refused for its content. Anybody may have the key, and reading such a body costs as much as
 * reading an event. Not counted for the project: its other clients and the day must not suffer from a broken one.
 */
export async function spendRefused(services: Services, sender: Sender): Promise<void> {
  for (const { name, key, rate, scope } of quotasOf(services, sender)) {
    if (rate !== undefined && scope === 'key') await services.limits.count(name, key, rate);
  }
}

async function check({ limits }: Services, { name, key, rate, scope }: Quota, way: 'look' | 'count'): Promise<void> {
  if (rate === undefined) return;
  const state = await limits[way](name, key, rate);
  const used = way === 'look' ? state.remaining <= 0 : state.exceeded;
  if (used) throw new OverQuota((state.resetAt - Date.now()) / 1000, scope, name);
}
