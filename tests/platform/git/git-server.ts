import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createGit } from '../../../src/platform/git/git.ts';
import type { Repository } from '../../../src/platform/git/process/command.ts';
import { Advertiser } from '../../../src/platform/git/transport/advertisement.ts';
import type { PackCache } from '../../../src/platform/git/transport/packs/cache.ts';
import { type ReceiveHooks, receivePack } from '../../../src/platform/git/transport/receive.ts';
import {
  type GitService,
  inflated,
  type SessionResult,
  uploadPack,
} from '../../../src/platform/git/transport/transport.ts';

/** A minimal HTTP server around the transport, for stock git clients. */
export class GitServer {
  readonly results: (SessionResult | Error)[] = [];
  readonly encodings: (string | undefined)[] = [];
  hooks: ReceiveHooks = { onPreReceive: async () => undefined, onPostReceive: async () => [] };
  maxInputBytes: number | undefined;
  packs: PackCache | undefined;
  readonly #repo: Repository;
  readonly #hooksPath: string;
  readonly #server: Server;
  readonly #git = createGit({ root: '/nonexistent' });
  readonly #advertiser = new Advertiser((repo) => this.#git.listRefs(repo, 'refs/'));
  #waiting: (() => void)[] = [];

  constructor(repo: Repository, hooksPath: string) {
    this.#repo = repo;
    this.#hooksPath = hooksPath;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/repo.git`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#git.close();
  }

  /** Waits until this many sessions have ended. */
  async ended(count: number): Promise<void> {
    while (this.results.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const protocol = request.headers['git-protocol']?.toString();
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    try {
      if (url.pathname.endsWith('/info/refs')) {
        const service = url.searchParams.get('service') as GitService;
        response.setHeader('content-type', `application/x-${service}-advertisement`);
        await pipeline(
          this.#advertiser.advertise(this.#repo, service, { protocol, signal: disconnected.signal }),
          response,
        );
        return;
      }
      const service = url.pathname.split('/').at(-1);
      this.encodings.push(request.headers['content-encoding']);
      const input = inflated(request, request.headers['content-encoding']);
      const session = { input, output: response, stateless: true, protocol, signal: disconnected.signal };
      response.setHeader('content-type', `application/x-${service}-result`);
      const result =
        service === 'git-receive-pack'
          ? await receivePack(this.#repo, {
              ...session,
              hooks: this.hooks,
              hooksPath: this.#hooksPath,
              maxInputBytes: this.maxInputBytes,
            })
          : await uploadPack(this.#repo, session, this.packs && { cache: this.packs, hooksPath: this.#hooksPath });
      if (!result.ok && result.sent === 0) response.statusCode = 400;
      response.end();
      this.#note(result);
    } catch (error) {
      response.destroy();
      this.#note(error as Error);
    }
  }

  #note(result: SessionResult | Error): void {
    this.results.push(result);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
