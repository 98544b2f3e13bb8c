import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../../support/at-end.ts';
import { image, imageType, sha256 } from '../registry/registry-client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => boolean | undefined;

/** Fake upstream registry that can be made to fail. */
export class Upstream {
  readonly url: string;
  /** Successful requests, e.g. `GET library/alpine/manifests/latest`; rejected ones are not recorded. */
  readonly given: string[] = [];
  readonly #files = new Map<string, { type: string; bytes: Buffer; digest: string }>();
  /** Credentials required to get a token, as `user:password`; if unset, tokens are issued anonymously. */
  account: string | undefined;
  /** Intercepts requests; returns true if it sent the response. */
  before: Answer = () => undefined;

  constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Adds an image with one layer under a tag. Returns the digest of its manifest. */
  push(name: string, tag: string, layer: string | Buffer = `layer of ${tag}`, type = imageType): string {
    const manifest = { ...image('{}', layer), mediaType: type };
    for (const bytes of ['{}', layer]) this.#put(`${name}/blobs/${sha256(bytes)}`, bytes, 'application/octet-stream');
    return this.pushManifest(name, tag, JSON.stringify(manifest), type);
  }

  pushManifest(name: string, tag: string, text: string, type: string): string {
    for (const reference of [tag, sha256(text)]) this.#put(`${name}/manifests/${reference}`, text, type);
    return sha256(text);
  }

  #put(path: string, bytes: string | Buffer, type: string): void {
    this.#files.set(path, { type, bytes: Buffer.from(bytes), digest: sha256(bytes) });
  }

  remove(path: string): void {
    this.#files.delete(path);
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.before(request, response)) return;
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const { authorization } = request.headers;
    if (pathname === '/token') {
      const basic = this.account && `Basic ${Buffer.from(this.account).toString('base64')}`;
      if (basic !== undefined && authorization !== basic) return void response.writeHead(401).end();
      return void response.end(JSON.stringify({ token: `for-${searchParams.get('scope')}` }));
    }
    const path = pathname.replace('/v2/', '');
    const name = path.replace(/\/(manifests|blobs)\/.*/, '');
    if (authorization !== `Bearer for-repository:${name}:pull`) {
      const challenge = `Bearer realm="${this.url}/token",service="up.test",scope="repository:${name}:pull"`;
      return void response.writeHead(401, { 'www-authenticate': challenge }).end('{}');
    }
    this.given.push(`${request.method} ${path}`);
    const file = this.#files.get(path);
    if (!file) return void response.writeHead(404).end('{}');
    const headers = {
      'content-type': file.type,
      'content-length': file.bytes.length,
      'docker-content-digest': file.digest,
    };
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : file.bytes);
  }
}

export async function startUpstream(): Promise<Upstream> {
  let upstream: Upstream | undefined;
  const server = createServer((request, response) => upstream?.answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  upstream = new Upstream((server.address() as AddressInfo).port);
  return upstream;
}
