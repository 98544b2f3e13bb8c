import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';

/** Delay between SIGTERM and SIGKILL. */
const graceMs = 5000;

export interface ShellOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly output: (piece: Buffer) => void;
  /** Kills the process and all its children. */
  readonly signal: AbortSignal;
}

/** Runs a program and returns its exit code; null when it was aborted. */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, output, signal }: ShellOptions,
): Promise<number | null> {
  if (signal.aborted) return null;
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  // A failure to start is reported through the promise above.
  const closed = once(child, 'close').catch(() => undefined);
  child.stdout.on('data', output);
  child.stderr.on('data', output);
  const stop = () => void endGroup(child.pid, ended);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [code] = await ended;
    // Background processes of a script are killed with it; those that detached are not waited for.
    signalGroup(child.pid, 'SIGKILL');
    await Promise.race([closed, setTimeout(graceMs, undefined, { ref: false })]);
    return signal.aborted ? null : (code ?? 1);
  } finally {
    signal.removeEventListener('abort', stop);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

async function endGroup(pid: number | undefined, ended: Promise<unknown>): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  await Promise.race([ended, setTimeout(graceMs, undefined, { ref: false })]);
  signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Builds a script that prints each command before running it and stops at the first failure. */
export function scriptOf(commands: readonly string[]): string {
  const shown = commands.map((command) => {
    const [first = '', ...more] = command.split('\n');
    const title = `\u001b[32;1m$ ${first}${more.length > 0 ? ' # collapsed multi-line command' : ''}\u001b[0;m`;
    return `echo ${quoted(title)}\n${command}\n`;
  });
  return `set -eo pipefail\n${shown.join('')}`;
}
