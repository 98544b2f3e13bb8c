import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startPostgres } from '../tests/support/postgres-server.ts';
import { cpuOf, freePort, memoryOf, root, type Started, startHearth, startScript, stop } from './processes.ts';
import { token } from './seed.ts';

interface Figures {
  /** Events per second. */
  readonly rate: number;
  /** Processor time per event in milliseconds: on a shared machine it is more reliable than the rate. */
  readonly cpu: number;
}

export interface ErrorRow extends Figures {
  readonly work: string;
  readonly floor: Figures;
  /** Latency of other API requests meanwhile: median and 99th percentile. */
  readonly others: { readonly median: number; readonly slow: number };
  readonly memory: number;
}

const groups = 200;
const sizes = [
  { name: '1 KB', bytes: 1000, count: 4000 },
  { name: '50 KB', bytes: 50_000, count: 2000 },
];
const headers = { 'private-token': token, 'content-type': 'application/json' };

/** Sends events from another process; resolves with the milliseconds until all were answered. */
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

/** Creates a project with error tracking; returns the ingestion URL and a function that counts visible events. */
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

/** Requests a project repeatedly until stopped; returns the latencies in milliseconds. */
function askMeanwhile(url: string, project: number): () => Promise<ErrorRow['others']> {
  const times: number[] = [];
  let over = false;
  const asking = (async () => {
    while (!over) {
      const from = performance.now();
      await call(url, 'GET', `/projects/${project}`);
      times.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return async () => {
    over = true;
    await asking;
    times.sort((a, b) => a - b);
    return { median: times[times.length >> 1] ?? 0, slow: times[Math.floor(times.length * 0.99)] ?? 0 };
  };
}

/** Measures from the first event sent until the last one is visible. */
async function measure(server: Started, name: string, count: number, bytes: number) {
  const { id: other } = await call(server.url, 'POST', '/projects', { name: `beside-${name}` });
  const { address, seen } = await track(server.url, name);
  const stopRequests = askMeanwhile(server.url, other);
  const [from, cpu] = [performance.now(), cpuOf(server)];
  await load(address, count, bytes);
  while ((await seen()) < count) await new Promise((resolve) => setTimeout(resolve, 20));
  const ms = performance.now() - from;
  const others = await stopRequests();
  return { rate: (count / ms) * 1000, cpu: (cpuOf(server) - cpu) / count, others, memory: memoryOf(server) };
}

async function measureFloor(folder: string, count: number, bytes: number): Promise<Figures> {
  const floor = await startScript('errors-floor.ts', [join(folder, `floor-${bytes}.db`)]);
  await load(`${floor.url}/envelope`, 500, bytes);
  const cpu = cpuOf(floor);
  const ms = await load(`${floor.url}/envelope`, count, bytes);
  const figures = { rate: (count / ms) * 1000, cpu: (cpuOf(floor) - cpu) / count };
  await stop(floor);
  return figures;
}

const noLimits = ['key', 'project', 'address', 'daily'].flatMap((name) => [`--error-${name}-rate`, '0']);

/** Measures ingestion on both databases. */
export async function measureErrors(): Promise<ErrorRow[]> {
  const rows: ErrorRow[] = [];
  const floors: Figures[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'hearth-bench-errors-'));
  const postgres = await startPostgres({ durable: true });
  try {
    for (const { bytes, count } of sizes) floors.push(await measureFloor(folder, count, bytes));
    for (const engine of ['SQLite', 'PostgreSQL']) {
      const flags = engine === 'SQLite' ? noLimits : [...noLimits, '--database-url', postgres.url];
      const server = await startHearth(join(folder, engine), await freePort(), token, flags);
      await measure(server, 'warm-up', 500, 1000);
      for (const [index, { name, bytes, count }] of sizes.entries()) {
        const floor = floors[index];
        if (!floor) throw new Error(`no floor for ${name}`);
        const figures = await measure(server, `errors-${bytes}`, count, bytes);
        rows.push({ work: `${name} each, ${groups} errors, ${engine}`, floor, ...figures });
      }
      await stop(server);
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}

/** Formats the figures as a table. */
export function errorTable(rows: readonly ErrorRow[]): string[] {
  const shown = rows.map(({ work, floor, rate, cpu, others, memory }) => [
    work,
    `${Math.round(floor.rate)}/s, ${floor.cpu.toFixed(2)} ms`,
    `${Math.round(rate)}/s, ${cpu.toFixed(2)} ms`,
    `${(rate / floor.rate).toFixed(2)}, ${(cpu / floor.cpu).toFixed(1)}`,
    `${others.median.toFixed(0)} ms, ${others.slow.toFixed(0)} ms`,
    `${memory} MB`,
  ]);
  return [
    '| events, from sent to visible | floor: events/s, CPU per event | Hearth | ratios to floor | other requests: median, p99 | memory after |',
    '|---|---|---|---|---|---|',
    ...shown.map((cells) => `| ${cells.join(' | ')} |`),
  ];
}

if (import.meta.main) process.stdout.write(`${errorTable(await measureErrors()).join('\n')}\n`);
