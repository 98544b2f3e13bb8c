import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Agent, Dispatcher } from 'undici';
import { limitResponseSize, ResponseTooLarge } from './limit.ts';
import { follow, type Hop, isRedirect } from './redirect.ts';
import {
  type AllowedDestinations,
  type Answer,
  createResolver,
  type EgressPolicy,
  type Resolver,
  type Sender,
} from './resolve.ts';
import { EgressRefused, readTarget, type Target, type TargetRules } from './target.ts';

export { ResponseTooLarge } from './limit.ts';
export type { AllowedDestinations, EgressPolicy, Sender } from './resolve.ts';
export { EgressRefused, type TargetRules } from './target.ts';

/** An outgoing request. */
export interface EgressRequest {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Maximum number of redirects to follow, at most five; with 0, a redirect is returned as the response. */
  redirects?: number;
  /** Maximum size of the response body. */
  maxBytes?: number;
  /** Timeouts until the headers, between two chunks of the body, and in total. */
  timeoutsMs?: { headers?: number; body?: number; total?: number };
  signal?: AbortSignal;
  /** False for receivers with an unverifiable certificate. */
  verifyCertificate?: boolean;
  sender?: Sender;
}

/** A response; a body that is not read to its end must be destroyed. */
export interface EgressResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The final URL, after redirects. */
  readonly url: string;
  readonly body: Readable;
  text(): Promise<string>;
}

/** A URL whose host was resolved and is allowed. */
export interface CheckedUrl extends Target {
  /** All were checked; connect only to these. */
  readonly addresses: readonly Answer[];
  readonly address: string;
  /** The value of git's `http.curloptResolve`; undefined if the host is an IP address. */
  readonly curloptResolve: string | undefined;
}

/** The client for all outgoing requests, which cannot be directed at this machine or its network. */
export interface Egress {
  /** Throws `EgressRefused` for a forbidden destination; connection errors and timeouts are those of undici. */
  fetch(url: string, request?: EgressRequest): Promise<EgressResponse>;
  /** Checks a URL for code that connects by other means: git, ssh. */
  checkUrl(url: string, rules?: TargetRules & { sender?: Sender }): Promise<CheckedUrl>;
  close(): Promise<void>;
}

const maxRedirects = 5;
const defaultTimeouts = { headers: 30_000, body: 60_000, total: 600_000 };

/** Creates the client; throws for an invalid allow list. */
export function createEgress(policy: EgressPolicy & { connectTimeoutMs?: number; ca?: string }): Egress {
  const resolvers = { anyone: createResolver(policy), 'system hook': createResolver(policy, 'system hook') };
  const opened = new Map<string, { readonly reachable: AllowedDestinations; readonly agent: Promise<Agent> }>();
  const retired = new Set<Promise<Agent>>();
  // Requests in progress may finish.
  const retire = (opening: Promise<Agent>) => {
    retired.add(opening);
    opening
      .then((agent) => agent.close())
      .finally(() => retired.delete(opening))
      .catch(() => undefined);
  };
  // Connections are reused, separately for each kind of sender, and only under the policy that allowed them.
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

const isSame = (one: AllowedDestinations, other: AllowedDestinations) =>
  one.allowLocal === other.allowLocal && one.allowList === other.allowList;

// Loaded at the first request: undici is a hundred modules and would slow down the start.
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
  const stream = limitResponseSize(body, maxBytes);
  // Without the user and password that the URL may contain.
  return { status, headers, url: url.origin + url.pathname + url.search, body: stream, text: () => text(stream) };
}

// Destroying a half-read stream emits an error, which can be ignored.
function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

function pin({ url, host, port }: Target, addresses: readonly Answer[]): string | undefined {
  if (url.hostname.startsWith('[') || addresses[0]?.address === host) return undefined;
  const dialled = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
  return `${host}:${port}:${dialled.join(',')}`;
}
