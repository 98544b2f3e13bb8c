import assert from 'node:assert/strict';
import { hash } from 'node:crypto';

export const sha256 = (bytes: string | Buffer) => `sha256:${hash('sha256', bytes)}`;
export const imageType = 'application/vnd.oci.image.manifest.v1+json';
export const indexType = 'application/vnd.oci.image.index.v1+json';

export const basic = (username: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

export interface RegistryRequest {
  readonly body?: NonNullable<RequestInit['body']>;
  readonly headers?: Record<string, string>;
}

export interface RegistryResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Error code of a failed request. */
  readonly code: string | undefined;
}

/** Container registry client: requests a token when challenged, then repeats the request. */
export class RegistryClient {
  readonly url: string;
  readonly #credentials: Record<string, string>;
  readonly #tokens = new Map<string, string>();

  /** `credentials` are the headers of token requests; empty for anonymous access. */
  constructor(url: string, credentials: Record<string, string> = {}) {
    this.url = url;
    this.#credentials = credentials;
  }

  async plain(call: string, { body, headers = {} }: RegistryRequest = {}): Promise<RegistryResponse> {
    const [method = 'GET', path = '/'] = call.split(' ');
    const duplex = body instanceof ReadableStream ? { duplex: 'half' as const } : {};
    const response = await fetch(this.url + path, { method, headers, body: body ?? null, ...duplex });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const code = response.status >= 400 && isJson && text !== '' ? JSON.parse(text).errors?.[0]?.code : undefined;
    return { status: response.status, headers: response.headers, text, code };
  }

  /** Requests a token; `scopes` such as `repository:a/b:pull,push`. */
  async token(...scopes: readonly string[]): Promise<RegistryResponse & { readonly token: string }> {
    const query = new URLSearchParams({ service: 'container_registry' });
    for (const scope of scopes) query.append('scope', scope);
    const said = await this.plain(`GET /jwt/auth?${query}`, { headers: this.#credentials });
    return { ...said, token: said.status === 200 ? JSON.parse(said.text).token : '' };
  }

  /** Sends a request with a token for all actions. */
  async call(
    call: string,
    sent: RegistryRequest & { readonly scopes?: readonly string[] } = {},
  ): Promise<RegistryResponse> {
    const [, path = ''] = call.split(' ');
    const name = /^\/v2\/(.+?)\/(?:blobs|manifests|tags|referrers)\//.exec(path)?.[1];
    const scopes = sent.scopes ?? (name === undefined ? [] : [`repository:${name}:*`]);
    const key = scopes.join(' ');
    if (!this.#tokens.has(key)) this.#tokens.set(key, (await this.token(...scopes)).token);
    const authorization = `Bearer ${this.#tokens.get(key)}`;
    return this.plain(call, { ...sent, headers: { authorization, ...sent.headers } });
  }

  /** Pushes a blob the way clients do: start the upload, send the bytes, then the digest. */
  async pushBlob(name: string, bytes: string | Buffer): Promise<string> {
    const started = await this.call(`POST /v2/${name}/blobs/uploads/`);
    assert.equal(started.status, 202, started.text);
    const place = started.headers.get('location') ?? '';
    const sent = await this.call(`PATCH ${place}`, { body: new Uint8Array(Buffer.from(bytes)) });
    assert.equal(sent.status, 202, sent.text);
    const digest = sha256(bytes);
    const ended = await this.call(`PUT ${sent.headers.get('location')}?digest=${digest}`);
    assert.equal(ended.status, 201, ended.text);
    assert.equal(ended.headers.get('docker-content-digest'), digest);
    return digest;
  }

  putManifest(name: string, reference: string, manifest: object | string, type = imageType): Promise<RegistryResponse> {
    const body = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    return this.call(`PUT /v2/${name}/manifests/${reference}`, { body, headers: { 'content-type': type } });
  }

  /** Pushes an image with one layer under a tag. Returns the digest of its manifest. */
  async pushImage(name: string, tag: string, layer: string | Buffer = `layer of ${tag}`): Promise<string> {
    const manifest = image('{}', layer);
    await this.pushBlob(name, '{}');
    await this.pushBlob(name, layer);
    const put = await this.putManifest(name, tag, manifest);
    assert.equal(put.status, 201, put.text);
    return sha256(JSON.stringify(manifest));
  }

  async tags(name: string): Promise<string[]> {
    const said = await this.call(`GET /v2/${name}/tags/list`);
    return said.status === 200 ? JSON.parse(said.text).tags : [];
  }
}

export const descriptor = (bytes: string | Buffer, mediaType: string) => ({
  mediaType,
  digest: sha256(bytes),
  size: Buffer.byteLength(bytes),
});

/** Manifest of an image with one layer. */
export const image = (config: string, layer: string | Buffer, more: object = {}) => ({
  schemaVersion: 2,
  mediaType: imageType,
  config: descriptor(config, 'application/vnd.oci.image.config.v1+json'),
  layers: [descriptor(layer, 'application/vnd.oci.image.layer.v1.tar')],
  ...more,
});
