import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from './processes.ts';

/** What to ask for, again and again. */
export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const connections = 16;
const runs = 3;

const cannon = join(root, 'node_modules/autocannon/autocannon.js');

async function fire({ url, headers }: Load, seconds: number): Promise<number> {
  const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const args = [cannon, '-j', '-c', `${connections}`, '-d', `${seconds}`, ...flags, url];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [output] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')]);
  const result = JSON.parse(output) as { requests: { average: number }; non2xx: number; errors: number };
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return result.requests.average;
}

/** Requests a second from another process: one run to warm up, then the best of several. */
export async function rateOf(load: Load): Promise<number> {
  await fire(load, 2);
  let best = 0;
  for (let run = 0; run < runs; run += 1) best = Math.max(best, await fire(load, 3));
  return Math.round(best);
}
