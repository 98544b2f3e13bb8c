import { execFile } from 'node:child_process';
import { glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { root, startHearth, stop } from './processes.ts';
import { post, token } from './seed.ts';

const run = promisify(execFile);
const perKind = 200;

/** Latency of first requests to pages of one kind. */
export interface PageRow {
  readonly kind: string;
  readonly pages: number;
  readonly median: number;
  readonly slow: number;
  /** Size of the largest page, compressed. */
  readonly bytes: number;
}

const inAddress = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Picks up to `most` items, evenly spread. */
function spread<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.floor(items.length / most));
  return items.filter((_, at) => at % step === 0).slice(0, most);
}

/** Waits until the commit-graph of the pushed history is written. */
async function indexed(data: string): Promise<void> {
  const record = 'repositories/**/commit-graphs/commit-graph-chain';
  while ((await Array.fromAsync(glob(record, { cwd: data }))).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Requests the pages of this repository without signing in, once each. */
export async function measurePages(port: number): Promise<PageRow[]> {
  const place = await mkdtemp(join(tmpdir(), 'hearth-bench-pages-'));
  const git = async (...args: string[]) => (await run('git', ['-C', root, ...args], { maxBuffer: 1e9 })).stdout;
  const listed = async (...args: string[]) => (await git(...args)).split('\n').filter((line) => line !== '');
  const server = await startHearth(join(place, 'data'), port, token, ['--log-level', 'warn']);
  try {
    await post(`${server.url}/api/v4/projects`, { name: 'pages', visibility: 'public' });
    await git('push', '-q', `http://root:${token}@127.0.0.1:${port}/root/pages.git`, 'HEAD:refs/heads/main');
    await indexed(join(place, 'data'));
    const files = await listed('ls-tree', '-r', '--name-only', 'HEAD', 'src', 'tests', 'docs');
    const folders = await listed('ls-tree', '-r', '-d', '--name-only', 'HEAD', 'src', 'tests');
    const commits = await listed('log', '--format=%H', 'HEAD');
    const home = `${server.url}/root/pages/-`;
    const measure = async (kind: string, paths: readonly string[], most = perKind): Promise<PageRow> => {
      const times: number[] = [];
      let bytes = 0;
      for (const path of spread(paths, most)) {
        const from = performance.now();
        const answer = await fetch(`${home}/${path}`, { headers: { accept: 'text/html' } });
        const text = await answer.text();
        times.push(performance.now() - from);
        if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
        bytes = Math.max(bytes, gzipSync(text).length);
      }
      times.sort((a, b) => a - b);
      const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
      return { kind, pages: times.length, median: at(0.5), slow: at(0.95), bytes };
    };
    // The first file starts the highlighting thread.
    await (await fetch(`${home}/blob/main/package.json`)).text();
    return [
      await measure(
        'a file',
        files.map((file) => `blob/main/${inAddress(file)}`),
      ),
      await measure(
        'a directory',
        folders.map((folder) => `tree/main/${inAddress(folder)}`),
      ),
      await measure(
        'a commit with its changes',
        commits.map((sha) => `commit/${sha}`),
      ),
      await measure(
        'the history of a file',
        files.map((file) => `commits/main/${inAddress(file)}`),
      ),
      await measure(
        'the history of a file, following renames',
        files.map((file) => `commits/main/${inAddress(file)}?follow=1`),
        perKind / 5,
      ),
    ];
  } finally {
    await stop(server);
    await rm(place, { recursive: true, force: true });
  }
}

export function pageTable(rows: readonly PageRow[]): string[] {
  const ms = (time: number) => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
  return [
    '| page, first request each | pages | median | p95 | largest, compressed |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ kind, pages, median, slow, bytes }) =>
        `| ${kind} | ${pages} | ${ms(median)} | ${ms(slow)} | ${(bytes / 1024).toFixed(1)} KiB |`,
    ),
  ];
}
