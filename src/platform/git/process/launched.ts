import type { Duplex, Readable, Writable } from 'node:stream';

/** What to start: a program, its words and its whole environment. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How many pipes it is given beside the usual three. */
  readonly extra: number;
}

/** A process under way, the leader of a group of its own. */
export interface Launched {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The pipes beside the usual three. */
  readonly fds: readonly Duplex[];
  /** Its exit code, once all its output has been handed over; null when a signal ended it. Rejects if it never started. */
  readonly ended: Promise<number | null>;
  /** Ends the process and all that it has started. */
  kill(): void;
}

/** Ends a process and all that it has started, if they are still there. */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
