import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const here = import.meta.dirname;
export const root = join(here, '..');

export interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  /** Time from process start to the first response. */
  readonly startMs: number;
}

/** Starts a benchmark script that prints its URL as a line of JSON. */
export async function startScript(name: string, args: readonly string[] = []): Promise<Started> {
  const from = performance.now();
  const child = spawn(process.execPath, [join(here, name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [string];
  return { child, url: (JSON.parse(line) as { url: string }).url, startMs: performance.now() - from };
}

/** Returns an unused port. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Starts Hearth with its command line on a data directory and waits for the first response. */
export async function startHearth(
  data: string,
  port: number,
  token: string,
  flags: readonly string[] = [],
): Promise<Started> {
  const url = `http://127.0.0.1:${port}`;
  const from = performance.now();
  const args = [
    '--min-semi-space-size=16',
    '--max-semi-space-size=16',
    join(root, 'bin/hearth.js'),
    'serve',
    '--port',
    `${port}`,
    '--data',
    data,
    '--root-token',
    token,
    ...flags,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore'], cwd: root });
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error('the server did not start');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return { child, url, startMs: performance.now() - from };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/liveness`)).ok;
  } catch {
    return false;
  }
}

export async function stop({ child }: Started): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Resident memory of a process in MB. */
export function memoryOf({ child }: Started): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

const tickMs = 10;

/** Processor time of a process so far, including all threads, in milliseconds. */
export function cpuOf({ child }: Started): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
