import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAddress } from './address.ts';
import { type AllowList, readAllowList } from './allow-list.ts';
import { reachOf, refusals } from './guard.ts';
import { EgressRefused, type Target } from './target.ts';

/** One address of a host, as `dns.lookup` gives it. */
export interface Answer {
  address: string;
  family: number;
}

/** For whom a request goes out: a system hook, which only administrators set up, may be let further than others. */
export type Sender = 'anyone' | 'system hook';

/** What may be reached. */
export interface Reachable {
  /** Lets requests reach this machine and private networks; where clouds keep credentials stays shut unless listed. */
  readonly allowLocal: boolean;
  /** Hosts, addresses and ranges that may be reached all the same, each with a port or without. */
  readonly allowList: readonly string[];
}

/** What may be reached, and how. */
export interface EgressPolicy extends Reachable {
  /** What may be reached at the moment, where that changes while the server runs. */
  current?: (sender: Sender) => Promise<Reachable>;
  /** How names become addresses; the system's way unless a test says otherwise. */
  resolve?: (host: string) => Promise<Answer[]>;
}

/** Turns a target into addresses that may be dialled; throws `EgressRefused` when there is one among them that may not. */
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
    // All of them: a name with one open and one private answer waits for the dialler to fall back on the private one.
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
  const reach = reachOf(address) ?? (isOurs(address) ? 'localhost' : undefined);
  if (reach === undefined || (allowLocal && reach !== 'metadata')) return;
  throw new EgressRefused(refusals[reach]);
}

// A public address of this machine leads to the same services as localhost, around the firewall.
function isOurs(address: string): boolean {
  const asked = parseAddress(address);
  return Object.values(networkInterfaces())
    .flatMap((interfaces) => interfaces ?? [])
    .map((own) => parseAddress(own.address))
    .some((own) => own?.family === asked?.family && own?.value === asked?.value);
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
