import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeHistory } from './git-seed.ts';
import { freePort, type Started, startHearth, stop } from './processes.ts';
import { post, token } from './seed.ts';

// node bench/clones.ts: processor time of the server and its git processes for one clone and for twenty concurrent ones
const run = promisify(execFile);
const at = 20;
const turns = 5;
const tickMs = 10;

/** Returns the processor time of a process and its terminated children, in milliseconds. */
function used(pid: number | string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) * tickMs;
}

interface Cost {
  readonly server: number;
  readonly clients: number;
  readonly wall: number;
}

async function costOf(server: Started, place: string, remote: string, count: number): Promise<Cost> {
  const before = { server: used(server.child.pid ?? 0), clients: used('self'), wall: performance.now() };
  const folders = Array.from({ length: count }, (_, n) => join(place, `clone-${n}`));
  await Promise.all(folders.map((folder) => run('git', ['clone', '-q', '--bare', remote, folder])));
  const cost = {
    server: used(server.child.pid ?? 0) - before.server,
    clients: used('self') - before.clients,
    wall: performance.now() - before.wall,
  };
  for (const folder of folders) await rm(folder, { recursive: true });
  return cost;
}

const median = (values: readonly number[]) => Math.round([...values].sort((a, b) => a - b)[values.length >> 1] ?? 0);

const place = await mkdtemp(join(tmpdir(), 'hearth-bench-clones-'));
const port = await freePort();
const server = await startHearth(join(place, 'data'), port, token, ['--log-level', 'warn']);
try {
  const bare = join(place, 'bare.git');
  const remote = `http://root:${token}@127.0.0.1:${port}/root/bench.git`;
  await run('git', ['init', '-q', '--bare', '-b', 'main', bare]);
  await writeHistory(bare, { commits: 3500, files: 400, fileBytes: 6600 });
  await post(`${server.url}/api/v4/projects`, { name: 'bench' });
  await run('git', ['-C', bare, 'push', '-q', remote, 'main']);
  console.log(`load ${loadavg()[0]?.toFixed(1)}; processor time, and elapsed time`);
  for (const count of [1, at]) {
    const costs: Cost[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      // A new commit invalidates cached packs: the first clone creates a new one.
      const change = { branch: 'main', commit_message: 'more', content: `${count} ${turn}` };
      await post(`${server.url}/api/v4/projects/root%2Fbench/repository/files/more-${count}-${turn}`, change);
      costs.push(await costOf(server, place, remote, count));
    }
    const [own, others, wall] = (['server', 'clients', 'wall'] as const).map((part) =>
      median(costs.map((c) => c[part])),
    );
    console.log(`${count} at once: server ${own} ms, clients ${others} ms, ${wall} ms elapsed`);
  }
} finally {
  await stop(server);
  await rm(place, { recursive: true, force: true });
}
