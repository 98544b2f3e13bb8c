import { readdir, readFile } from 'node:fs/promises';
import type { Repository } from '../repository.ts';

/** The commands that take locks in a repository. */
const writers: ReadonlySet<string> = new Set([
  'receive-pack',
  'update-ref',
  'pack-refs',
  'fetch',
  'repack',
  'multi-pack-index',
  'commit-graph',
]);
const ticksPerSecond = 100;

/**
 * When the git processes of this machine that may hold a lock of the repository were started, whoever started them: a
 * server that is killed leaves them behind for a moment. Undefined where the system does not tell.
 */
export async function lockOwners(repo: Repository): Promise<number[] | undefined> {
  const booted = await bootTime();
  if (booted === undefined) return undefined;
  const started: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || !(await writesTo(`/proc/${name}`, repo.path))) continue;
    const ticks = await startTicks(`/proc/${name}`);
    if (ticks !== undefined) started.push(booted + (ticks / ticksPerSecond) * 1000);
  }
  return started;
}

async function bootTime(): Promise<number | undefined> {
  const text = await readFile('/proc/stat', 'latin1').catch(() => '');
  const seconds = /^btime (\d+)$/m.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

async function writesTo(process: string, path: string): Promise<boolean> {
  const [program = '', command = ''] = (await read(`${process}/cmdline`)).split('\0');
  if (!/(?:^|\/)git$/.test(program) || !writers.has(command)) return false;
  return (await read(`${process}/environ`)).split('\0').includes(`GIT_DIR=${path}`);
}

/** When a process was started, in ticks since the machine was. */
async function startTicks(process: string): Promise<number | undefined> {
  // The name, in brackets, may itself have spaces and brackets in it.
  const [, fields] = /\) (.*)$/s.exec(await read(`${process}/stat`)) ?? [];
  const ticks = Number(fields?.split(' ')[19]);
  return Number.isFinite(ticks) ? ticks : undefined;
}

/** Nothing for a process that has gone, or that belongs to somebody else. */
async function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
