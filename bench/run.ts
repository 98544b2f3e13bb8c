import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { type ApiFigures, apiTable, measureApi } from './api.ts';
import { type ErrorRow, errorTable, measureErrors } from './errors.ts';
import { type GitRow, measureGit } from './git.ts';
import { measurePages, type PageRow, pageTable } from './pages.ts';
import { freePort, root } from './processes.ts';

function report(
  api: ApiFigures,
  git: readonly GitRow[],
  pages: readonly PageRow[],
  errors: readonly ErrorRow[],
): string {
  return [
    ...apiTable(api.rows),
    '',
    '| work | floor: git itself | Hearth | ratio |',
    '|---|---|---|---|',
    ...git.map(({ work, floor, figure, ratio }) => `| ${work} | ${floor} | ${figure} | ${ratio} |`),
    '',
    ...pageTable(pages),
    '',
    ...errorTable(errors),
    '',
    '| measurement | value |',
    '|---|---|',
    `| start until first response, existing data directory | ${Math.round(api.startMs)} ms |`,
    `| start until first response, new data directory | ${Math.round(api.firstStartMs)} ms |`,
    `| memory at rest | ${api.restMb} MB |`,
    `| memory after this load | ${api.loadedMb} MB |`,
    '',
  ].join('\n');
}

const api = await measureApi();
const git = await measureGit(await freePort());
const pages = await measurePages(await freePort());
const table = report(api, git, pages, await measureErrors());
process.stdout.write(`\n${table}`);
const machine = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`;
const text = [
  '# Benchmark results',
  '',
  `Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)} (${machine}). A separate process generates the`,
  'load over 16 connections: it requests 60 projects in turn as 40 users, after a warm-up, best of three runs. Times are medians.',
  'CPU is the processor time of the server per request, which depends less on other load on the machine than the rate. First',
  'requests are those for 60 other URLs, one each: median and 99th percentile. Each floor is measured in the same run: bare',
  'Fastify with a token lookup and one prepared SQLite statement, or git itself (one `cat-file --batch`, a git command,',
  '`git http-backend` behind a bare HTTP server). A ratio of 1 is as fast as the floor. PostgreSQL runs on the same machine,',
  'with durable commits.',
  '',
  table,
].join('\n');
await writeFile(join(root, 'bench/RESULTS.md'), text);
