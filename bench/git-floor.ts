import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Milliseconds of the median of several runs. */
export async function medianOf(runs: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < runs; count += 1) {
    const from = performance.now();
    await work();
    times.push(performance.now() - from);
  }
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] as number;
}

/** How many times a second one bare `cat-file --batch` answers for an object, 16 questions under way. */
export async function batchRate(repository: string, object: string, seconds = 3): Promise<number> {
  const child = spawn('git', ['-C', repository, 'cat-file', '--batch'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { stdout } = await run('git', ['-C', repository, 'cat-file', '-s', object]);
  const answerBytes = Number(stdout) + 1;
  let received = 0;
  let header = 0;
  let answered = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    if (header === 0) header = chunk.indexOf(10) + 1;
    received += chunk.length;
    answered = Math.floor(received / (answerBytes + header));
  });
  const from = performance.now();
  let asked = 0;
  while (performance.now() - from < seconds * 1000) {
    if (asked - answered < 16) {
      child.stdin.write(`${object}\n`.repeat(16));
      asked += 16;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const rate = answered / ((performance.now() - from) / 1000);
  child.kill();
  return rate;
}

/** The server that git ships, behind the least of an HTTP server: the floor for clones and pushes. */
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

function relay(child: ChildProcess, response: import('node:http').ServerResponse): void {
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
