import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cpuOf, root, type Started } from './processes.ts';

/** URLs to request in turn, and the tokens to use. */
export interface Load {
  readonly url: string;
  readonly paths: readonly string[];
  readonly tokens: readonly string[];
}

const connections = 16;
const runs = 3;
const seconds = 3;

async function runLoad(load: Load, seconds: number): Promise<number> {
  const child = spawn(process.execPath, [join(root, 'bench/load-generator.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ ...load, connections, seconds }));
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const result = JSON.parse(output) as { average: number; non2xx: number; errors: number };
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${load.paths[0]}: ${result.non2xx} non-2xx responses, ${result.errors} errors`);
  return result.average;
}

/** Requests per second, and processor milliseconds per request, which depends less on other load on the machine. */
export interface Rate {
  readonly rate: number;
  readonly cpu: number;
}

/** Measures the throughput of a server: one warm-up run, then the best of several. */
export async function rateOf(server: Started, load: Omit<Load, 'url'>): Promise<Rate> {
  const aimed = { url: server.url, ...load };
  await runLoad(aimed, 2);
  let [rate, cpu] = [0, Number.POSITIVE_INFINITY];
  for (let run = 0; run < runs; run += 1) {
    const before = cpuOf(server);
    const average = await runLoad(aimed, seconds);
    rate = Math.max(rate, Math.round(average));
    cpu = Math.min(cpu, (cpuOf(server) - before) / (average * seconds));
  }
  return { rate, cpu };
}

/** Latency: median and 99th percentile. */
export interface Times {
  readonly median: number;
  readonly slow: number;
}

/** Measures operations that run once each, one after another. */
export async function timesOf<T>(each: Iterable<T>, work: (one: T) => Promise<unknown>): Promise<Times> {
  const times: number[] = [];
  for (const one of each) {
    const from = performance.now();
    await work(one);
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  return { median: times[times.length >> 1] ?? 0, slow: times[Math.floor(times.length * 0.99)] ?? 0 };
}

/** Requests each URL once; none was requested before, so nothing is cached. */
export function firstAnswers({ url, paths, tokens }: Load): Promise<Times> {
  return timesOf(paths.entries(), async ([index, path]) => {
    const headers = { 'private-token': tokens[index % tokens.length] ?? '' };
    const answer = await fetch(`${url}${path}`, { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  });
}
