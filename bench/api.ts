import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../tests/support/postgres-server.ts';
import { firstAnswers, type Rate, rateOf, type Times } from './load.ts';
import { freePort, memoryOf, type Started, startHearth, startScript, stop } from './processes.ts';
import { put, type Seeded, seed, token } from './seed.ts';

interface Figures extends Rate {
  /** Latency of first requests to URLs not requested before; unset for work with a single URL. */
  readonly first: Times | undefined;
}

export interface ApiRow {
  readonly work: string;
  readonly floor: Rate;
  readonly sqlite: Figures;
  readonly postgres: Figures;
}

export interface ApiFigures {
  readonly rows: readonly ApiRow[];
  readonly startMs: number;
  readonly firstStartMs: number;
  readonly restMb: number;
  readonly loadedMb: number;
}

/** A benchmark; `floor` is the bare server's URL that does comparable work. */
interface Work {
  readonly work: string;
  readonly floor: '/project' | '/labels' | '/issue' | '/issues';
  readonly path: (project: string) => string;
  readonly writing?: boolean;
}

const works: readonly Work[] = [
  { work: '`GET /projects/:id` by path', floor: '/project', path: (project) => `/api/v4/projects/${project}` },
  {
    work: '`GET /projects/:id/labels`, 20 of 25',
    floor: '/labels',
    path: (project) => `/api/v4/projects/${project}/labels`,
  },
  {
    work: '`GET /projects/:id/issues/:issue_iid`',
    floor: '/issue',
    path: (project) => `/api/v4/projects/${project}/issues/1`,
  },
  {
    work: '`GET /projects/:id/issues`, 20 of 25',
    floor: '/issues',
    path: (project) => `/api/v4/projects/${project}/issues`,
  },
  { work: '`GET /users`, 20 of 40', floor: '/labels', path: () => '/api/v4/users' },
  { work: '`GET /projects`, 20 of 120', floor: '/labels', path: () => '/api/v4/projects' },
  {
    work: '`GET /projects/:id` with a write every 10 ms',
    floor: '/project',
    path: (project) => `/api/v4/projects/${project}`,
    writing: true,
  },
  {
    work: '20 labels with a write every 10 ms',
    floor: '/labels',
    path: (project) => `/api/v4/projects/${project}/labels`,
    writing: true,
  },
];

/** Measures the API on both databases against a minimal server in the same run. */
export async function measureApi(): Promise<ApiFigures> {
  const floors = await measureFloors();
  const sqlite = await onEngine(undefined);
  const database = await startPostgres({ durable: true });
  const postgres = await onEngine(database.url).finally(() => database.stop());
  const rows = works.map(({ work, floor }, index) => ({
    work,
    floor: floors[floor],
    sqlite: sqlite.figures[index] as Figures,
    postgres: postgres.figures[index] as Figures,
  }));
  const { startMs, firstStartMs, restMb, loadedMb } = sqlite;
  return { rows, startMs, firstStartMs, restMb, loadedMb };
}

async function measureFloors(): Promise<Record<Work['floor'], Rate>> {
  const floor = await startScript('floor.ts');
  const rate = (path: string) => rateOf(floor, { paths: [path], tokens: [token] });
  try {
    return {
      '/project': await rate('/project/bench%2Fproject'),
      '/labels': await rate('/labels'),
      '/issue': await rate('/issue'),
      '/issues': await rate('/issues'),
    };
  } finally {
    await stop(floor);
  }
}

async function onEngine(databaseUrl: string | undefined) {
  const data = await mkdtemp(join(tmpdir(), 'hearth-bench-'));
  const port = await freePort();
  const flags = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
  const start = () => startHearth(data, port, token, flags);
  try {
    const first = await start();
    const seeded = await seed(first.url);
    await stop(first);
    // One more start, to warm the compile cache for all modules that serving needs, as after any first start.
    await stop(await start());
    const server = await start();
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const restMb = memoryOf(server);
    const figures = await measureServer(server, seeded).finally(() => stop(server));
    return { ...figures, startMs: server.startMs, firstStartMs: first.startMs, restMb };
  } finally {
    await rm(data, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function measureServer(server: Started, { repeated, unrequested, tokens }: Seeded) {
  const figures: Figures[] = [];
  const requested = new Set<string>();
  for (const { path, writing } of works) {
    const load = { paths: repeated.map(path), tokens };
    const measure = () => rateOf(server, load);
    const rate = writing ? await whileWriting(server.url, repeated, measure) : await measure();
    const fresh = unrequested.map(path).filter((address) => !requested.has(address) && !load.paths.includes(address));
    for (const address of fresh) requested.add(address);
    const first = fresh.length === 0 ? undefined : await firstAnswers({ url: server.url, tokens, paths: fresh });
    figures.push({ ...rate, first });
  }
  return { figures, loadedMb: memoryOf(server) };
}

/** Cached rows are invalidated by each commit, so that with a concurrent writer most are read again. */
async function whileWriting<T>(url: string, projects: readonly string[], work: () => Promise<T>): Promise<T> {
  let over = false;
  const writing = (async () => {
    for (let count = 0; !over; count += 1) {
      const project = projects[count % projects.length];
      await put(`${url}/api/v4/projects/${project}/labels/label%200`, { description: `Change ${count}` });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  try {
    return await work();
  } finally {
    over = true;
    await writing;
  }
}

const formatRate = ({ rate, cpu }: Rate) => `${rate.toLocaleString('en')}, ${cpu.toFixed(2)} ms`;
const compared = (one: Rate, other: Rate) =>
  `${(one.rate / other.rate).toFixed(2)}, ${(one.cpu / other.cpu).toFixed(1)}`;
const shown = (times: Times | undefined) =>
  times === undefined ? '' : `${times.median.toFixed(1)} ms, ${times.slow.toFixed(1)} ms`;

export function apiTable(rows: readonly ApiRow[]): string[] {
  return [
    '| work | floor: requests/s, CPU per request | SQLite | ratios to floor | first requests: median, p99 | PostgreSQL | ratios to SQLite | first requests: median, p99 |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(
      ({ work, floor, sqlite, postgres }) =>
        `| ${work} | ${formatRate(floor)} | ${formatRate(sqlite)} | ${compared(sqlite, floor)} | ${shown(sqlite.first)} | ${formatRate(postgres)} | ${compared(postgres, sqlite)} | ${shown(postgres.first)} |`,
    ),
  ];
}
