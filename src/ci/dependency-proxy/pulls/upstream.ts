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
const maxTokenBytes = 64 * 1024;

/** Error response for a failed upstream request. */
export class UpstreamRefusal extends RegistryRefusal {
  /** Whether the failure is temporary, so that cached content can be served instead. */
  readonly isTemporary: boolean;

  constructor(isTemporary: boolean, ...refusal: ConstructorParameters<typeof RegistryRefusal>) {
    super(...refusal);
    this.isTemporary = isTemporary;
  }
}

const unreachable = (message: string) => new UpstreamRefusal(true, 'UNAVAILABLE', { message });

/** Maps an upstream status to the error for the client; undefined for a success. */
export function refusalOf(
  { status, headers }: Pick<EgressResponse, 'status' | 'headers'>,
  missing: 'MANIFEST_UNKNOWN' | 'BLOB_UNKNOWN',
): UpstreamRefusal | undefined {
  if (status === 200) return undefined;
  if (status === 404) return new UpstreamRefusal(false, missing);
  if (status === 401 || status === 403) {
    // Not reported as 401, which would make the client request a new token from this server repeatedly.
    const message = 'the image does not exist in the upstream registry, or access to it is denied';
    return new UpstreamRefusal(false, 'DENIED', { message });
  }
  if (status === 429) {
    const after = headers['retry-after'];
    const wait = typeof after === 'string' && /^\d{1,9}$/.test(after) ? { headers: { 'retry-after': after } } : {};
    return new UpstreamRefusal(true, 'TOOMANYREQUESTS', {
      message: 'the upstream registry is rate limiting requests',
      ...wait,
    });
  }
  return unreachable(`the upstream registry responded with status ${status}`);
}

/** Discards an unread response body; its connection cannot be reused. */
export function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

interface UpstreamRequest {
  readonly method: 'GET' | 'HEAD';
  /** `manifests/latest` or `blobs/sha256:…`. */
  readonly path: string;
  readonly accept?: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Access to one image in the upstream registry. */
export interface Upstream {
  /** Returns the response with any status. Throws `UpstreamRefusal` if there is no response. */
  ask(request: UpstreamRequest): Promise<EgressResponse>;
}

/** Basic authentication header for the upstream registry, from the settings of the group or of the server. */
function accountOf({ config, encryption }: Services, settings: SettingsRow | undefined): string | undefined {
  const basicAuth = (user: string, password: string) =>
    `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  if (settings?.identity != null && settings.secret !== null) {
    return basicAuth(settings.identity, encryption.decrypt(settings.secret, secretPurpose));
  }
  const { dependencyProxyUser: user, dependencyProxyPassword: password } = config;
  return user === undefined || password === undefined ? undefined : basicAuth(user, password);
}

export const secretPurpose = 'dependency_proxy.secret';

/** Opens an image in the upstream registry. A bearer token is reused for the duration of this request. */
export function openUpstream(services: Services, settings: SettingsRow | undefined, image: string): Upstream {
  const { egress, config, log } = services;
  const registry = config.dependencyProxyUrl;
  const imageUrl = upstreamAddress(registry, image);
  const account = accountOf(services, settings);
  let authorization: string | undefined;

  const fetchUpstream = async (url: string, request: Parameters<typeof egress.fetch>[1]): Promise<EgressResponse> => {
    try {
      return await egress.fetch(url, { redirects, timeoutsMs, ...request });
    } catch (error) {
      if (request?.signal?.aborted) throw error;
      if (error instanceof ResponseTooLarge) throw new UpstreamRefusal(false, 'SIZE_INVALID');
      log.warn({ error: String(error), host: new URL(url).host }, 'the upstream registry is unreachable');
      throw unreachable('the upstream registry is unreachable');
    }
  };

  const send = ({ path, accept, ...request }: UpstreamRequest) => {
    const headers = { ...(accept && { accept }), ...(authorization && { authorization }) };
    return fetchUpstream(`${imageUrl}/${path}`, { ...request, headers });
  };

  /** Returns the `Authorization` header that answers a challenge; undefined if there is none. */
  const authorize = async (header: string | undefined, signal: AbortSignal): Promise<string | undefined> => {
    const challenge = readChallenge(header);
    if (challenge?.kind !== 'bearer') return challenge && account;
    const name = imageUrl.slice(imageUrl.indexOf('/v2/') + '/v2/'.length);
    const url = tokenAddress(registry, { scope: `repository:${name}:pull`, ...challenge });
    if (url === undefined) return undefined;
    const response = await fetchUpstream(url, {
      headers: { ...(account && { authorization: account }) },
      signal,
      maxBytes: maxTokenBytes,
    });
    const text = await response.text().catch(() => '');
    const token = response.status === 200 ? readToken(text) : undefined;
    const refusal = refusalOf(response, 'MANIFEST_UNKNOWN');
    if (token === undefined && refusal?.isTemporary) throw refusal;
    return token && `Bearer ${token}`;
  };

  return {
    async ask(request) {
      const first = await send(request);
      if (first.status !== 401 || authorization !== undefined) return first;
      discard(first.body);
      authorization = await authorize([first.headers['www-authenticate']].flat()[0], request.signal);
      return authorization === undefined ? first : send(request);
    },
  };
}

/** Extracts the token from a token endpoint response. */
export function readToken(text: string): string | undefined {
  try {
    const { token, access_token } = JSON.parse(text) as { token?: unknown; access_token?: unknown };
    const found = token ?? access_token;
    return typeof found === 'string' && /^[\x21-\x7e]+$/.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
