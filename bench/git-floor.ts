import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Median of several runs in milliseconds. */
export async function medianOf(runs: number, work: (turn: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < runs; count += 1) {
    const from = performance.now();
    await work(count);
    times.push(performance.now() - from);
  }
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] as number;
}

// The same concurrency and duration as the load on Hearth.
const callers = 16;
const seconds = 3;

/** Returns the number of responses per second that concurrent callers get. */
async function rateFor(ask: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  const end = from + seconds * 1000;
  let answered = 0;
  const caller = async () => {
    while (performance.now() < end) {
      await ask();
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return answered / ((performance.now() - from) / 1000);
}

/**
 * The minimal reader of git objects: one persistent `cat-file --batch`, shared by all callers. No HTTP, token, project
 * or ref: callers know the object ID.
 */
class BareReader {
  readonly #child: ChildProcess;
  readonly #waiting: ((bytes: Buffer) => void)[] = [];
  #received: Buffer = Buffer.alloc(0);

  constructor(repository: string) {
    this.#child = spawn('git', ['-C', repository, 'cat-file', '--batch'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  ask(object: string): Promise<Buffer> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#child.stdin?.write(`${object}\n`);
    });
  }

  close(): void {
    this.#child.kill();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length > 0 ? Buffer.concat([this.#received, chunk]) : chunk;
    for (;;) {
      const line = this.#received.indexOf(10);
      if (line < 0) return;
      const size = Number(this.#received.toString('latin1', this.#received.lastIndexOf(32, line) + 1, line));
      const end = line + 1 + size;
      if (this.#received.length <= end) return;
      const bytes = Buffer.from(this.#received.subarray(line + 1, end));
      this.#received = this.#received.subarray(end + 1);
      this.#waiting.shift()?.(bytes);
    }
  }
}

/** Returns how many times per second a bare reader returns an object and `use` processes its bytes. */
export async function readerRate(
  repository: string,
  object: string,
  use: (bytes: Buffer) => unknown = (bytes) => bytes,
): Promise<number> {
  const reader = new BareReader(repository);
  const rate = await rateFor(async () => use(await reader.ask(object)));
  reader.close();
  return rate;
}

/** Parses a tree object, which listing a directory requires. */
export function takeTreeApart(bytes: Buffer): { mode: string; name: string; id: string }[] {
  const entries: { mode: string; name: string; id: string }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const nul = bytes.indexOf(0, space);
    const mode = bytes.toString('latin1', at, space).padStart(6, '0');
    entries.push({ mode, name: bytes.toString('utf8', space + 1, nul), id: bytes.toString('hex', nul + 1, nul + 21) });
    at = nul + 21;
  }
  return entries;
}

/** Returns how many times per second git answers, with one process per response. */
export function commandRate(repository: string, ...args: string[]): Promise<number> {
  return rateFor(() => run('git', ['-C', repository, ...args], { maxBuffer: 1e9, encoding: 'buffer' }));
}

/** Serves `git http-backend` with a minimal HTTP server: the floor for clones and pushes. */
export async function startHttpBackend(root: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x');
    const env = {
      PATH: process.env.PATH ?? '',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'bench',
    };
    const child: ChildProcess = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    request.pipe(child.stdin as NodeJS.WritableStream);
    relay(child, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

function relay(child: ChildProcess, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  let body = false;
  child.stdout?.on('data', (chunk: Buffer) => {
    if (body) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    body = true;
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const colon = line.indexOf(':');
      if (line.startsWith('Status:')) response.statusCode = Number(line.slice(8, 11));
      else response.setHeader(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    response.write(head.subarray(end + 4));
  });
  child.stdout?.on('end', () => response.end());
}
