import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startPostgres } from '../tests/support/postgres-server.ts';
import { freePort, memoryOf, root, type Started, startHearth, startScript, stop } from './processes.ts';
import { token } from './seed.ts';

export interface ErrorRow {
  readonly work: string;
  readonly floor: number;
  readonly rate: number;
  readonly memory: number;
}

const groups = 200;
const sizes = [
  { name: '1 KB', bytes: 1000, count: 6000 },
  { name: '50 KB', bytes: 50_000, count: 3000 },
];
const headers = { 'private-token': token, 'content-type': 'application/json' };

/** Events from another process; resolves with the milliseconds it took until all were answered. */
async function load(address: string, count: number, bytes: number): Promise<number> {
  const args = [join(root, 'bench/errors-load.ts'), address, `${count}`, `${bytes}`, `${groups}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')]);
  return (JSON.parse(output) as { ms: number }).ms;
}

async function call(url: string, method: string, path: string, json?: object) {
  const response = await fetch(`${url}/api/v4${path}`, { method, headers, body: json ? JSON.stringify(json) : null });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json() as Promise<{ id: number; public_key: string; count: number }[] & { id: number }>;
}

/** A project that takes events in: where they go, and how many are to be seen. */
async function track(url: string, name: string) {
  const { id } = await call(url, 'POST', '/projects', { name });
  const path = `/projects/${id}/error_tracking`;
  await call(url, 'PUT', `${path}/settings`, { active: true, integrated: true });
  const [key] = await call(url, 'GET', `${path}/client_keys`);
  const seen = async () => {
    const pages = [1, 2].map((page) => call(url, 'GET', `${path}/errors?per_page=100&page=${page}`));
    return (await Promise.all(pages)).flat().reduce((sum, { count }) => sum + count, 0);
  };
  return { address: `${url}/api/${id}/envelope/?sentry_key=${key?.public_key}`, seen };
}

/** Events a second, from the first that is sent until the last can be seen. */
async function measure(server: Started, name: string, count: number, bytes: number): Promise<number> {
  const { address, seen } = await track(server.url, name);
  const from = performance.now();
  await load(address, count, bytes);
  while ((await seen()) < count) await new Promise((resolve) => setTimeout(resolve, 20));
  return Math.round((count / (performance.now() - from)) * 1000);
}

const noLimits = ['key', 'project', 'address', 'daily'].flatMap((name) => [`--error-${name}-rate`, '0']);

/** Takes events in on both engines. */
export async function measureErrors(): Promise<ErrorRow[]> {
  const rows: ErrorRow[] = [];
  const floors: number[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'hearth-bench-errors-'));
  const postgres = await startPostgres({ durable: true });
  try {
    for (const { bytes, count } of sizes) {
      const floor = await startScript('errors-floor.ts', [join(folder, `floor-${bytes}.db`)]);
      const ms = await load(`${floor.url}/envelope`, count, bytes);
      await stop(floor);
      floors.push(Math.round((count / ms) * 1000));
    }
    for (const engine of ['SQLite', 'PostgreSQL']) {
      const flags = engine === 'SQLite' ? noLimits : [...noLimits, '--database-url', postgres.url];
      const server = await startHearth(join(folder, engine), await freePort(), token, flags);
      await measure(server, 'warm-up', 1000, 1000);
      for (const [index, { name, bytes, count }] of sizes.entries()) {
        const rate = await measure(server, `errors-${bytes}`, count, bytes);
        const work = `events of ${name}, ${groups} errors, ${engine}`;
        rows.push({ work, floor: floors[index] ?? 0, rate, memory: memoryOf(server) });
      }
      await stop(server);
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}

/** The figures as a table. */
export function errorTable(rows: readonly ErrorRow[]): string[] {
  return [
    '| work, from sent to seen | floor, events a second | Hearth, events a second | ratio | memory after |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ work, floor, rate, memory }) =>
        `| ${work} | ${floor.toLocaleString('en')} | ${rate.toLocaleString('en')} | ${(rate / floor).toFixed(2)} | ${memory} MB |`,
    ),
  ];
}

if (import.meta.main) process.stdout.write(`${errorTable(await measureErrors()).join('\n')}\n`);
