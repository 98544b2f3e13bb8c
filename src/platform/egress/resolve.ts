import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAddress } from './address.ts';
import { type AllowList, readAllowList } from './allow-list.ts';
import { forbiddenAddressKind, refusals } from './guard.ts';
import { EgressRefused, type Target } from './target.ts';

/** One address of a host, as returned by `dns.lookup`. */
export interface Answer {
  address: string;
  family: number;
}

/** On whose behalf a request is sent: a system hook, which only administrators create, may be allowed more. */
export type Sender = 'anyone' | 'system hook';

/** The destinations that are allowed. */
export interface AllowedDestinations {
  /** Allows requests to this machine and private networks; cloud metadata services remain forbidden unless listed. */
  readonly allowLocal: boolean;
  /** Hosts, addresses and ranges that are always allowed, each optionally with a port. */
  readonly allowList: readonly string[];
}

/** The allowed destinations, and how names are resolved. */
export interface EgressPolicy extends AllowedDestinations {
  /** The current policy, if it can change while the server runs. */
  current?: (sender: Sender) => Promise<AllowedDestinations>;
  /** Resolves a host name; with the system resolver unless a test replaces it. */
  resolve?: (host: string) => Promise<Answer[]>;
}

/** Resolves a target to its addresses; throws `EgressRefused` if any of them is forbidden. */
export type Resolver = (target: Pick<Target, 'host' | 'port'>) => Promise<Answer[]>;

const lookupTimeoutMs = 15_000;

/** A resolver that applies the policy. */
export function createResolver(policy: EgressPolicy, sender: Sender = 'anyone'): Resolver {
  const { resolve = systemAnswers, current = async () => policy } = policy;
  let known = { allowList: policy.allowList, listed: readAllowList(policy.allowList) };
  return async ({ host, port }) => {
    const answers = await answersFor(host, resolve);
    const { allowLocal, allowList } = await current(sender);
    if (known.allowList !== allowList) known = { allowList, listed: readAllowList(allowList) };
    const { listed } = known;
    // Check all: with one public and one private address, the client could fall back to the private one.
    for (const { address } of answers) check(host, address, port, listed, allowLocal);
    return answers;
  };
}

async function answersFor(host: string, resolve: (host: string) => Promise<Answer[]>): Promise<Answer[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const unresolved = (cause?: unknown) => new EgressRefused('Host cannot be resolved or invalid', { cause });
  const answers = await withinTime(resolve(host)).catch((error: unknown) => {
    throw unresolved(error);
  });
  if (answers.length === 0) throw unresolved();
  return answers;
}

function check(host: string, address: string, port: number, listed: AllowList, allowLocal: boolean): void {
  if (listed(host, address, port)) return;
  const reach = forbiddenAddressKind(address) ?? (isOwnAddress(address) ? 'localhost' : undefined);
  if (reach === undefined || (allowLocal && reach !== 'metadata')) return;
  throw new EgressRefused(refusals[reach]);
}

// A public address of this machine reaches the same services as localhost, past the firewall.
function isOwnAddress(address: string): boolean {
  const target = parseAddress(address);
  return Object.values(networkInterfaces())
    .flatMap((interfaces) => interfaces ?? [])
    .map((own) => parseAddress(own.address))
    .some((own) => own?.family === target?.family && own?.value === target?.value);
}

async function systemAnswers(host: string): Promise<Answer[]> {
  return lookup(host, { all: true, verbatim: true });
}

async function withinTime(answers: Promise<Answer[]>): Promise<Answer[]> {
  const stop = new AbortController();
  const late = delay(lookupTimeoutMs, [], { signal: stop.signal, ref: false });
  try {
    return await Promise.race([answers, late]);
  } finally {
    late.catch(() => undefined);
    stop.abort();
  }
}
