import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Agent, Dispatcher } from 'undici';
import { limited, ResponseTooLarge } from './limit.ts';
import { follow, type Hop, isRedirect } from './redirect.ts';
import {
  type Answer,
  createResolver,
  type EgressPolicy,
  type Reachable,
  type Resolver,
  type Sender,
} from './resolve.ts';
import { EgressRefused, readTarget, type Target, type TargetRules } from './target.ts';

export { ResponseTooLarge } from './limit.ts';
export type { EgressPolicy, Reachable, Sender } from './resolve.ts';
export { EgressRefused, type TargetRules } from './target.ts';

/** A request to go out. */
export interface EgressRequest {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** How many redirects to follow; with none, the redirect is the response. Never more than five. */
  redirects?: number;
  /** The largest body to take. */
  maxBytes?: number;
  /** Until the headers, between two pieces of the body, and all together. */
  timeoutsMs?: { headers?: number; body?: number; total?: number };
  signal?: AbortSignal;
  /** False for receivers whose certificate nobody vouches for. */
  verifyCertificate?: boolean;
  sender?: Sender;
}

/** What came back; a body that is not read to its end must be destroyed. */
export interface EgressResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly body: Readable;
  text(): Promise<string>;
}

/** A URL whose host was resolved and found to be allowed. */
export interface CheckedUrl extends Target {
  /** All of them were checked; dial only these. */
  readonly addresses: readonly Answer[];
  readonly address: string;
  /** For git's `http.curloptResolve`; undefined when the host is an address itself. */
  readonly curloptResolve: string | undefined;
}

/** The only way out: requests to the world that cannot be turned against this machine or its network. */
export interface Egress {
  /** Throws `EgressRefused` for what may not be reached; connection failures and timeouts as undici has them. */
  fetch(url: string, request?: EgressRequest): Promise<EgressResponse>;
  /** For those who connect by other means: git, ssh. */
  checkUrl(url: string, rules?: TargetRules & { sender?: Sender }): Promise<CheckedUrl>;
  close(): Promise<void>;
}

const maxRedirects = 5;
const defaultTimeouts = { headers: 30_000, body: 60_000, total: 600_000 };

/** Creates the client; throws for an allow list that cannot be read. */
export function createEgress(policy: EgressPolicy & { connectTimeoutMs?: number; ca?: string }): Egress {
  const resolvers = { anyone: createResolver(policy), 'system hook': createResolver(policy, 'system hook') };
  const opened = new Map<string, { readonly reachable: Reachable; readonly agent: Promise<Agent> }>();
  const retired = new Set<Promise<Agent>>();
  // What is under way may end.
  const retire = (opening: Promise<Agent>) => {
    retired.add(opening);
    opening
      .then((agent) => agent.close())
      .finally(() => retired.delete(opening))
      .catch(() => undefined);
  };
  // Connections are kept and used again: each kind of sender has its own, and none outlives what it was allowed by.
  const agentFor = async ({ verifyCertificate = true, sender = 'anyone' }: EgressRequest): Promise<Agent> => {
    const reachable = policy.current ? await policy.current(sender) : policy;
    const key = `${sender} ${verifyCertificate}`;
    const known = opened.get(key);
    if (known && isSame(known.reachable, reachable)) return known.agent;
    const options = { timeoutMs: policy.connectTimeoutMs ?? 5000, ca: policy.ca, verifyCertificate };
    const agent = openAgent(resolvers[sender], options);
    opened.set(key, { reachable, agent });
    if (known) retire(known.agent);
    return agent;
  };
  return {
    fetch: async (url, request = {}) => send(await agentFor(request), url, request),
    async checkUrl(text, { sender = 'anyone', ...rules } = {}) {
      const target = readTarget(text, rules);
      const addresses = await resolvers[sender](target);
      return { ...target, addresses, address: addresses[0]?.address ?? '', curloptResolve: pin(target, addresses) };
    },
    async close() {
      const all = [...opened.values()].map(({ agent }) => agent);
      for (const agent of [...all, ...retired]) await (await agent).destroy();
    },
  };
}

const isSame = (one: Reachable, other: Reachable) =>
  one.allowLocal === other.allowLocal && one.allowList === other.allowList;

// Loaded at the first request: undici is a hundred modules, and a start should not wait for them.
async function openAgent(
  resolve: Resolver,
  options: { timeoutMs: number; ca: string | undefined; verifyCertificate: boolean },
): Promise<Agent> {
  const [undici, { createConnect }] = await Promise.all([import('undici'), import('./connect.ts')]);
  return new undici.Agent({ connect: createConnect(resolve, options), pipelining: 1 });
}

async function send(agent: Agent, url: string, request: EgressRequest): Promise<EgressResponse> {
  const { redirects = 0, maxBytes = 10 * 1024 * 1024, signal } = request;
  const timeouts = { ...defaultTimeouts, ...request.timeoutsMs };
  const deadline = AbortSignal.timeout(timeouts.total);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  let hop = firstHop(url, request);
  for (let followed = 0; ; followed++) {
    const response = await dispatch(agent, hop, timeouts, either);
    const { location } = response.headers;
    if (redirects === 0 || !isRedirect(response.statusCode) || typeof location !== 'string') {
      return answer(response, hop, maxBytes);
    }
    discard(response.body);
    if (followed >= Math.min(redirects, maxRedirects)) throw new EgressRefused('Too many redirects');
    hop = follow(hop, response.statusCode, location);
  }
}

function firstHop(text: string, { method = 'GET', headers = {}, body }: EgressRequest): Hop {
  const { url } = readTarget(text);
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const sent: Record<string, string> = { 'user-agent': 'Hearth', ...Object.fromEntries(named) };
  if (url.username !== '' || url.password !== '') {
    sent.authorization ??= `Basic ${Buffer.from(`${decoded(url.username)}:${decoded(url.password)}`).toString('base64')}`;
  }
  return { url, method, headers: sent, body };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new EgressRefused('URI is invalid', { cause });
  }
}

function dispatch(
  agent: Agent,
  { url, method, headers, body }: Hop,
  timeouts: typeof defaultTimeouts,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as Dispatcher.HttpMethod,
    headers,
    body: body as Dispatcher.DispatchOptions['body'],
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
    signal,
  });
}

function answer(response: Dispatcher.ResponseData, { url, method }: Hop, maxBytes: number): EgressResponse {
  const { statusCode: status, headers, body } = response;
  if (method !== 'HEAD' && Number(headers['content-length']) > maxBytes) {
    discard(body);
    throw new ResponseTooLarge(`The response has more than ${maxBytes} bytes`);
  }
  const stream = limited(body, maxBytes);
  // Without the user and password that the URL may carry.
  return { status, headers, url: url.origin + url.pathname + url.search, body: stream, text: () => text(stream) };
}

// A stream that is destroyed half-read reports that as an error, which is no news here.
function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

function pin({ url, host, port }: Target, addresses: readonly Answer[]): string | undefined {
  if (url.hostname.startsWith('[') || addresses[0]?.address === host) return undefined;
  const dialled = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
  return `${host}:${port}:${dialled.join(',')}`;
}
