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

/** What it takes to show pages of one kind that nobody has asked for before. */
export interface PageRow {
  readonly kind: string;
  readonly pages: number;
  readonly median: number;
  readonly slow: number;
  /** The largest, compressed. */
  readonly bytes: number;
}

const inAddress = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** At most so many of them, from all over. */
function spread<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.floor(items.length / most));
  return items.filter((_, at) => at % step === 0).slice(0, most);
}

/** Waits until the history that was pushed is on record, as it is a moment after every first push. */
async function indexed(data: string): Promise<void> {
  const record = 'repositories/**/commit-graphs/commit-graph-chain';
  while ((await Array.fromAsync(glob(record, { cwd: data }))).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Asks for the pages of this very repository as somebody who is not signed in, each once. */
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
    // The thread that highlights starts with the first file, whoever asks for it.
    await (await fetch(`${home}/blob/main/package.json`)).text();
    return [
      await measure(
        'a file',
        files.map((file) => `blob/main/${inAddress(file)}`),
      ),
      await measure(
        'a folder',
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
        'the same under its earlier names',
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
    '| page, asked for once | pages | half of them | 95 in 100 | largest, compressed |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ kind, pages, median, slow, bytes }) =>
        `| ${kind} | ${pages} | ${ms(median)} | ${ms(slow)} | ${(bytes / 1024).toFixed(1)} KiB |`,
    ),
  ];
}
