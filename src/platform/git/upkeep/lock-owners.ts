import { readdir, readFile } from 'node:fs/promises';
import type { Repository } from '../repository.ts';

/** The git commands that take locks in a repository. */
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
 * Returns the start times of the git processes on this machine that may hold a lock of the repository, whichever server
 * started them: those of a killed server survive it for a moment. Undefined where the system does not provide them.
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

/** Returns the start time of a process, in ticks since boot. */
async function startTicks(process: string): Promise<number | undefined> {
  // The process name, in parentheses, can itself contain spaces and parentheses.
  const [, fields] = /\) (.*)$/s.exec(await read(`${process}/stat`)) ?? [];
  const ticks = Number(fields?.split(' ')[19]);
  return Number.isFinite(ticks) ? ticks : undefined;
}

/** Returns an empty string for a process that has exited or belongs to another user. */
async function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
