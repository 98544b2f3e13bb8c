import { EgressRefused, readTarget } from './target.ts';

/** The next request of a redirect chain. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
}

// Any other header may be a credential under an unknown name: a webhook secret, or a token of the receiver.
const harmless = new Set(['accept', 'accept-language', 'content-type', 'user-agent', 'range', 'if-none-match']);

/** Whether the status is a redirect. */
export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/** The request for a redirect; throws `EgressRefused` if following it could leak something. */
export function follow(hop: Hop, status: number, location: string): Hop {
  const resolved = URL.parse(location, hop.url.href);
  if (!resolved) throw new EgressRefused('URI is invalid');
  const { url } = readTarget(resolved.href);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new EgressRefused('Redirects from https to http are not allowed');
  }
  const { method, body } = carried(hop, status);
  const headers = url.origin === hop.url.origin ? hop.headers : only(harmless, hop.headers);
  return { url, method, body, headers: body === undefined ? without(/^content-/, headers) : headers };
}

function carried({ method, body }: Hop, status: number): Pick<Hop, 'method' | 'body'> {
  const becomesGet = status === 303 ? method !== 'HEAD' : method === 'POST' && status < 303;
  if (becomesGet) return { method: 'GET' };
  const replayable = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  if (!replayable) throw new EgressRefused('A redirect asks for a body that cannot be sent twice');
  return { method, body };
}

function only(names: ReadonlySet<string>, headers: Hop['headers']): Hop['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.has(name)));
}

function without(names: RegExp, headers: Hop['headers']): Hop['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.test(name)));
}
