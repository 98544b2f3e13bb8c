import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { medianOf } from './git-floor.ts';
import { writeHistory } from './git-seed.ts';
import { freePort, startHearth, stop } from './processes.ts';
import { post, token } from './seed.ts';

// node bench/merge-request-diffs.ts: cold and warm merge request diffs, compared with `git diff` of the same commits
const run = promisify(execFile);
const turns = 15;
const sizes = { '5 commits': 5, '100 commits': 100 };

const place = await mkdtemp(join(tmpdir(), 'hearth-bench-diffs-'));
const bare = join(place, 'bare.git');
const data = join(place, 'data');
const port = await freePort();
const git = (...args: string[]) => run('git', ['-C', bare, ...args], { maxBuffer: 1e9, encoding: 'buffer' });
await run('git', ['init', '-q', '--bare', '-b', 'main', bare]);
await writeHistory(bare, { commits: 2000, files: 400, fileBytes: 6600 });
let server = await startHearth(data, port, token);
try {
  const project = await post(`${server.url}/api/v4/projects`, { name: 'bench' });
  const base = `${server.url}/api/v4/projects/${project.id}/merge_requests`;
  const ends = Object.values(sizes).flatMap((commits) =>
    Array.from({ length: turns }, (_, turn) => ({ from: `main~${commits + 7 * turn}`, to: `main~${7 * turn}` })),
  );
  for (const [index, { from, to }] of ends.entries()) {
    await git('branch', `into-${index}`, from);
    await git('branch', `topic-${index}`, to);
  }
  await git('push', '-q', `http://root:${token}@127.0.0.1:${port}/root/bench.git`, '--all');
  for (const index of ends.keys()) {
    await post(base, { title: `Topic ${index}`, source_branch: `topic-${index}`, target_branch: `into-${index}` });
  }
  // Restart to drop what creating the merge requests has cached.
  await stop(server);
  server = await startHearth(data, port, token);
  const diffsOf = async (index: number) => {
    const answer = await fetch(`${base}/${index + 1}/diffs?per_page=100`, { headers: { 'private-token': token } });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  console.log('| diffs of a merge request | git diff | cold | warm |\n|---|---|---|---|');
  for (const [at, name] of Object.keys(sizes).entries()) {
    const first = at * turns;
    const floor = await medianOf(turns, (turn) => {
      const { from = '', to = '' } = ends[first + turn] ?? {};
      return git('diff', `${from}...${to}`);
    });
    const cold = await medianOf(turns, (turn) => diffsOf(first + turn));
    const warm = await medianOf(turns, (turn) => diffsOf(first + turn));
    console.log(`| ${name} | ${floor.toFixed(1)} ms | ${cold.toFixed(1)} ms | ${warm.toFixed(1)} ms |`);
  }
} finally {
  await stop(server);
  await rm(place, { recursive: true, force: true });
}
