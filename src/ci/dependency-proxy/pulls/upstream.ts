import type { Readable } from 'node:stream';
import type { Services } from '../../../access/services.ts';
import { type EgressResponse, ResponseTooLarge } from '../../../platform/egress/client.ts';
import { RegistryRefusal } from '../../registry/public.ts';
import type { SettingsRow } from '../tables.ts';
import { readChallenge, tokenAddress } from './challenge.ts';
import { upstreamAddress } from './names.ts';

const redirects = 3;
const minute = 60_000;
const timeoutsMs = { headers: 30_000, body: minute, total: 60 * minute };
const largestToken = 64 * 1024;

/** Why nothing comes from the other registry. */
export class UpstreamRefusal extends RegistryRefusal {
  /** Whether it may answer another time: what is kept already is good for as long. */
  readonly passes: boolean;

  constructor(passes: boolean, ...refusal: ConstructorParameters<typeof RegistryRefusal>) {
    super(...refusal);
    this.passes = passes;
  }
}

const unreachable = (message: string) => new UpstreamRefusal(true, 'UNAVAILABLE', { message });

/** What a status of the other registry means to whoever pulls; undefined where it is an answer. */
export function refusalOf(
  { status, headers }: Pick<EgressResponse, 'status' | 'headers'>,
  missing: 'MANIFEST_UNKNOWN' | 'BLOB_UNKNOWN',
): UpstreamRefusal | undefined {
  if (status === 200) return undefined;
  if (status === 404) return new UpstreamRefusal(false, missing);
  if (status === 401 || status === 403) {
    // Not as a 401: the client would ask us for another token, and again.
    const message = 'the upstream registry has no such image, or does not give it to us';
    return new UpstreamRefusal(false, 'DENIED', { message });
  }
  if (status === 429) {
    const after = headers['retry-after'];
    const wait = typeof after === 'string' && /^\d{1,9}$/.test(after) ? { headers: { 'retry-after': after } } : {};
    return new UpstreamRefusal(true, 'TOOMANYREQUESTS', {
      message: 'the upstream registry limits our requests',
      ...wait,
    });
  }
  return unreachable(`the upstream registry answers with ${status}`);
}

/** The end of a response that nobody wants: its connection is of no more use. */
export function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

interface Question {
  readonly method: 'GET' | 'HEAD';
  /** `manifests/latest` or `blobs/sha256:…`. */
  readonly path: string;
  readonly accept?: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** An image at the other registry. */
export interface Upstream {
  /** The answer, whatever its status; throws `UpstreamRefusal` where there is none. */
  ask(question: Question): Promise<EgressResponse>;
}

/** Who signs in at the other registry: somebody of the group, or else of the server. */
function accountOf({ config, encryption }: Services, settings: SettingsRow | undefined): string | undefined {
  const encoded = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  if (settings?.identity != null && settings.secret !== null) {
    return encoded(settings.identity, encryption.decrypt(settings.secret, secretPurpose));
  }
  const { dependencyProxyUser: user, dependencyProxyPassword: password } = config;
  return user === undefined || password === undefined ? undefined : encoded(user, password);
}

export const secretPurpose = 'dependency_proxy.secret';

/** Opens an image at the other registry; a token that it gives is used for as long as this request lasts. */
export function openUpstream(services: Services, settings: SettingsRow | undefined, image: string): Upstream {
  const { egress, config, log } = services;
  const registry = config.dependencyProxyUrl;
  const place = upstreamAddress(registry, image);
  const account = accountOf(services, settings);
  let authorization: string | undefined;

  const reach = async (url: string, request: Parameters<typeof egress.fetch>[1]): Promise<EgressResponse> => {
    try {
      return await egress.fetch(url, { redirects, timeoutsMs, ...request });
    } catch (error) {
      if (request?.signal?.aborted) throw error;
      if (error instanceof ResponseTooLarge) throw new UpstreamRefusal(false, 'SIZE_INVALID');
      log.warn({ error: String(error), host: new URL(url).host }, 'the upstream registry cannot be reached');
      throw unreachable('the upstream registry cannot be reached');
    }
  };

  const send = ({ path, accept, ...request }: Question) => {
    const headers = { ...(accept && { accept }), ...(authorization && { authorization }) };
    return reach(`${place}/${path}`, { ...request, headers });
  };

  /** What the registry is shown after it has refused; undefined where there is nothing to show. */
  const authorize = async (header: string | undefined, signal: AbortSignal): Promise<string | undefined> => {
    const challenge = readChallenge(header);
    if (challenge?.kind !== 'bearer') return challenge && account;
    const name = place.slice(place.indexOf('/v2/') + '/v2/'.length);
    const url = tokenAddress(registry, { scope: `repository:${name}:pull`, ...challenge });
    if (url === undefined) return undefined;
    const response = await reach(url, {
      headers: { ...(account && { authorization: account }) },
      signal,
      maxBytes: largestToken,
    });
    const text = await response.text().catch(() => '');
    const token = response.status === 200 ? readToken(text) : undefined;
    const refusal = refusalOf(response, 'MANIFEST_UNKNOWN');
    if (token === undefined && refusal?.passes) throw refusal;
    return token && `Bearer ${token}`;
  };

  return {
    async ask(question) {
      const first = await send(question);
      if (first.status !== 401 || authorization !== undefined) return first;
      discard(first.body);
      authorization = await authorize([first.headers['www-authenticate']].flat()[0], question.signal);
      return authorization === undefined ? first : send(question);
    },
  };
}

/** The token in the answer of whoever gives them. */
export function readToken(text: string): string | undefined {
  try {
    const { token, access_token } = JSON.parse(text) as { token?: unknown; access_token?: unknown };
    const found = token ?? access_token;
    return typeof found === 'string' && /^[\x21-\x7e]+$/.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
