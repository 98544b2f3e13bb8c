import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atEnd } from '../support/at-end.ts';

const program = join(import.meta.dirname, '..', '..', 'bin', 'hearth.js');

/** Creates a directory that is removed at the end of the test file. */
export async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-cli-'));
  atEnd(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

/** Result of a command. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** The command line in a separate process. */
export class Hearth {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly #lines: string[] = [];
  #errors = '';
  #onLine = new Set<() => void>();

  /** `through` is a wrapper command that runs the command appended to it. */
  constructor(argv: readonly string[], env: NodeJS.ProcessEnv = {}, through: readonly string[] = []) {
    // Settings of this process must not reach the child.
    const clean = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('HEARTH_') && name !== 'DATABASE_URL' && name !== 'NODE_COMPILE_CACHE',
    );
    const options = { env: { ...Object.fromEntries(clean), ...env }, stdio: ['pipe', 'pipe', 'pipe'] as const };
    const [command, ...rest] = [...through, process.execPath, program, ...argv] as [string, ...string[]];
    this.child = spawn(command, rest, { ...options, stdio: [...options.stdio] });
    atEnd(() => this.child.kill('SIGKILL'));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    const lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      this.#lines.push(line);
      for (const listener of this.#onLine) listener();
    });
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout: this.#lines.join('\n'),
      stderr: this.#errors,
    }));
  }

  /** Returns the first line that matches; rejects if the process ends without it. */
  async line(pattern: RegExp): Promise<string> {
    const found = () => this.#lines.find((line) => pattern.test(line));
    const matched = new Promise<void>((resolve) => {
      this.#onLine.add(() => found() !== undefined && resolve());
      if (found() !== undefined) resolve();
    });
    await Promise.race([matched, this.ended]);
    const line = found();
    if (line === undefined) throw new Error(`ended without ${pattern}: ${JSON.stringify(await this.ended)}`);
    return line;
  }

  /** Returns the address that `serve` prints. */
  async address(): Promise<string> {
    return (await this.line(/^Hearth is ready at /)).replace('Hearth is ready at ', '');
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** Runs a command to its end. */
export function hearth(argv: readonly string[], env: NodeJS.ProcessEnv = {}, input = ''): Promise<Ended> {
  const running = new Hearth(argv, env);
  running.child.stdin?.end(input);
  return running.ended;
}
