import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '../src/platform/database/database.ts';
import { freePort, startHearth, stop } from './processes.ts';
import { post, put, token } from './seed.ts';

// node bench/mergeability.ts [--requests 1000] [--merges 50]
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '1000' }, merges: { type: 'string', default: '50' } },
});
const requests = Number(values.requests);
const merges = Number(values.merges);

/** A main branch with some files, and a branch per merge request that adds its own file. */
function* branches(count: number): Generator<string> {
  const commit = (branch: string, mark: number, from?: string) =>
    `commit refs/heads/${branch}\nmark :${mark}\ncommitter Some One <someone@example.com> 1700000000 +0000\ndata 6\nchange\n` +
    (from === undefined ? '' : `from ${from}\n`);
  yield 'blob\nmark :1\ndata 5\ntext\n\n';
  yield commit('main', 2);
  for (let file = 0; file < 200; file += 1) yield `M 100644 :1 dir${file % 10}/file${file}.txt\n`;
  for (let branch = 0; branch < count; branch += 1) {
    yield commit(`topic-${branch}`, branch + 3, ':2');
    yield `M 100644 :1 topic/${branch % 10}/${branch}.txt\n`;
  }
}

async function run(folder: string, args: readonly string[], input?: Iterable<string>): Promise<void> {
  const child = spawn('git', ['-C', folder, ...args], { stdio: ['pipe', 'ignore', 'inherit'] });
  for (const piece of input ?? []) if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${code}`);
}

const part = (times: readonly number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
const shown = (times: readonly number[]) =>
  `median ${part(times, 0.5).toFixed(1)} ms, p95 ${part(times, 0.95).toFixed(1)} ms`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const port = await freePort();
const data = await mkdtemp(join(tmpdir(), 'hearth-mergeability-'));
const work = await mkdtemp(join(tmpdir(), 'hearth-mergeability-work-'));
const server = await startHearth(data, port, token);
const db = await openDatabase({ file: join(data, 'hearth.db') });
try {
  const api = `${server.url}/api/v4`;
  const { id } = await post(`${api}/projects`, { name: 'bench' });
  await run(work, ['init', '-q', '-b', 'main']);
  await run(work, ['fast-import', '--quiet', '--force'], branches(requests));
  const address = `http://root:${token}@127.0.0.1:${port}/root/bench.git`;
  await run(work, ['push', '-q', address, '--all']);
  const base = `${api}/projects/${id}/merge_requests`;
  const creationTimes: number[] = [];
  for (let branch = 0; branch < requests; branch += 1) {
    const json = { source_branch: `topic-${branch}`, target_branch: 'main', title: `Topic ${branch}` };
    creationTimes.push(await timed(() => post(base, json)));
  }
  console.log(`creating one of ${requests}: ${shown(creationTimes)}`);

  const read = () => timed(async () => (await fetch(base, { headers: { 'private-token': token } })).arrayBuffer());
  const quiet: number[] = [];
  for (let round = 0; round < 30; round += 1) quiet.push(await read());
  const file = { branch: 'main', content: 'x', commit_message: 'Move the target' };
  await post(`${api}/projects/${id}/repository/files/moved.txt`, file);
  const from = performance.now();
  const busy: number[] = [];
  for (;;) {
    busy.push(await read());
    const { left } = await db.read
      .selectFrom('merge_requests')
      .select((eb) => eb.fn.countAll<number>().as('left'))
      .where('merge_status', 'not in', ['can_be_merged', 'cannot_be_merged'])
      .executeTakeFirstOrThrow();
    if (Number(left) === 0) break;
  }
  const seconds = (performance.now() - from) / 1000;
  console.log(`after a push to the target all ${requests} are rechecked in ${seconds.toFixed(1)} s`);
  console.log(`the list meanwhile: ${shown(busy)}; before: ${shown(quiet)}`);

  // Each merge moves the target branch and triggers a recheck of the others, as on a busy project.
  const merged: number[] = [];
  for (let iid = 1; iid <= Math.min(merges, requests); iid += 1) {
    merged.push(await timed(() => put(`${base}/${iid}/merge`, {})));
  }
  console.log(`a merge during the recheck of the others: ${shown(merged)}`);
} finally {
  await db.close();
  await stop(server);
  await Promise.all([data, work].map((folder) => rm(folder, { recursive: true, force: true })));
}
