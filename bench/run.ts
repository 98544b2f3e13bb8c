import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ErrorRow, errorTable, measureErrors } from './errors.ts';
import { type GitRow, measureGit } from './git.ts';
import { rateOf } from './load.ts';
import { freePort, memoryOf, root, startHearth, startScript, stop } from './processes.ts';
import { put, seed, token } from './seed.ts';

interface Row {
  readonly work: string;
  readonly floor: number;
  readonly rate: number;
}

const port = await freePort();
const data = await mkdtemp(join(tmpdir(), 'hearth-bench-'));

async function measure(): Promise<string> {
  const first = await startHearth(data, port, token);
  await seed(first.url);
  await stop(first);
  // Once more so that the compile cache of the modules that serving needs is warm, as it is after any first start.
  const starts: number[] = [];
  let server = await startHearth(data, port, token);
  for (let run = 0; run < 3; run += 1) {
    await stop(server);
    server = await startHearth(data, port, token);
    starts.push(server.startMs);
  }
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const idle = memoryOf(server);

  const floor = await startScript('floor.ts');
  const headers = { 'private-token': token };
  const floorProject = await rateOf({ url: `${floor.url}/project/bench%2Fproject`, headers });
  const floorLabels = await rateOf({ url: `${floor.url}/labels`, headers });
  await stop(floor);

  const api = `${server.url}/api/v4`;
  const rows: Row[] = [
    {
      work: '`GET /projects/:id` by path, with a token',
      floor: floorProject,
      rate: await rateOf({ url: `${api}/projects/bench%2Fproject`, headers }),
    },
    {
      work: '`GET /projects/:id/labels`, 20 of 250',
      floor: floorLabels,
      rate: await rateOf({ url: `${api}/projects/bench%2Fproject/labels`, headers }),
    },
    { work: '`GET /users`, 20 of 100', floor: floorLabels, rate: await rateOf({ url: `${api}/users`, headers }) },
    {
      work: '`GET /projects/:id` while somebody writes every 10 ms',
      floor: floorProject,
      rate: await whileWriting(api, () => rateOf({ url: `${api}/projects/bench%2Fproject`, headers })),
    },
    {
      work: '20 labels while somebody writes every 10 ms',
      floor: floorLabels,
      rate: await whileWriting(api, () => rateOf({ url: `${api}/projects/bench%2Fproject/labels`, headers })),
    },
  ];
  const loaded = memoryOf(server);
  await stop(server);
  const git = await measureGit(await freePort());
  const errors = await measureErrors();
  return report(rows, git, errors, { start: Math.min(...starts), first: first.startMs, idle, loaded });
}

/** Answers are kept until something is committed: with a writer beside, most are worked out anew. */
async function whileWriting(api: string, work: () => Promise<number>): Promise<number> {
  let over = false;
  const writing = (async () => {
    for (let count = 0; !over; count += 1) {
      await put(`${api}/projects/bench%2Fproject/labels/label%200`, { description: `Change ${count}` });
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

function report(
  rows: readonly Row[],
  git: readonly GitRow[],
  errors: readonly ErrorRow[],
  extra: { start: number; first: number; idle: number; loaded: number },
): string {
  const lines = rows.map(
    ({ work, floor, rate }) =>
      `| ${work} | ${floor.toLocaleString('en')} | ${rate.toLocaleString('en')} | ${(rate / floor).toFixed(2)} |`,
  );
  return [
    '| work | floor, requests a second | Hearth, requests a second | ratio |',
    '|---|---|---|---|',
    ...lines,
    '',
    '| work | floor: git itself | Hearth | ratio |',
    '|---|---|---|---|',
    ...git.map(({ work, floor, figure, ratio }) => `| ${work} | ${floor} | ${figure} | ${ratio} |`),
    '',
    ...errorTable(errors),
    '',
    '| what | figure |',
    '|---|---|',
    `| start to first answer, existing data directory | ${Math.round(extra.start)} ms |`,
    `| start to first answer, first start | ${Math.round(extra.first)} ms |`,
    `| memory at rest | ${extra.idle} MB |`,
    `| memory after this load | ${extra.loaded} MB |`,
    '',
  ].join('\n');
}

try {
  const table = await measure();
  process.stdout.write(`\n${table}`);
  const machine = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`;
  const text = [
    '# Last figures',
    '',
    `Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)} (${machine}). The load comes from another process over`,
    '16 connections, after a warm-up, best of three runs; times are medians. Each floor is measured in the same run: bare',
    'Fastify with a token look-up and one prepared SQLite statement, or git itself (one `cat-file --batch`, a git command, `git http-backend`',
    'behind a bare HTTP server). A ratio of 1 is as fast as the floor.',
    '',
    table,
  ].join('\n');
  await writeFile(join(root, 'bench/RESULTS.md'), text);
} finally {
  await rm(data, { recursive: true, force: true });
}
