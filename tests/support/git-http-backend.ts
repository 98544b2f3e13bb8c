import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';

/** A bare repository served by git's own HTTP backend for one user. */
export interface BareRepository {
  readonly folder: string;
  /** URL including credentials. */
  readonly url: string;
  git(...args: string[]): string;
  /** Object IDs by full ref name. */
  refs(): Record<string, string>;
}

/** Serves a new bare repository until the test file ends. */
export async function startBareRepository(
  user = 'mirror',
  password = 'p@ss:word/9',
  /** Handles other requests. Returns true if it has responded. */
  pages: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<BareRepository> {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const root = mkdtempSync(join(tmpdir(), 'hearth-bare-'));
  const folder = join(root, 'copy.git');
  const env = { PATH: process.env.PATH ?? '', HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' }).trim();
  git('init', '-q', '--bare', '-b', 'main', folder);
  git('-C', folder, 'config', 'http.receivepack', 'true');
  const server = createServer((request, response) => {
    if (!pages(request, response)) serve(root, expected, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(root, { recursive: true, force: true });
  });
  const { port } = server.address() as AddressInfo;
  return {
    folder,
    url: `http://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/copy.git`,
    git: (...args) => git('-C', folder, ...args),
    refs() {
      const lines = git('-C', folder, 'for-each-ref', '--format=%(refname) %(objectname)').split('\n').filter(Boolean);
      return Object.fromEntries(lines.map((line) => line.split(' ')));
    },
  };
}

function serve(root: string, expected: string, request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.authorization !== expected) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('no');
    return;
  }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: root,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'somebody',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    const head = output.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(head.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
    const status = Number(headers.Status?.slice(0, 3) ?? 200);
    delete headers.Status;
    response.writeHead(end < 0 ? 500 : status, headers).end(output.subarray(end + 4));
  });
}
