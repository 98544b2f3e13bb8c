import type { Duplex, Readable, Writable } from 'node:stream';

/** The program to start, with its arguments and full environment. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The number of pipes besides the standard three. */
  readonly extra: number;
}

/** A running process, the leader of its own process group. */
export interface Launched {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The pipes besides the standard three. */
  readonly fds: readonly Duplex[];
  /**
   * Resolves to the exit code once all output has been delivered; null if the process was killed by a signal. Rejects
   * if it never started.
   */
  readonly ended: Promise<number | null>;
  /** Kills the process and its children. */
  kill(): void;
}

/** Kills a process group, if it still exists. */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
