import { randomUUID } from 'node:crypto';
import { GitError, type GitOptions, type GitProcess, type Repository, spawnResident } from '../process/command.ts';
import { MarkedOutput } from '../process/marked-output.ts';
import type { Resident } from '../process/resident-pool.ts';

// git keeps every tree it has read until it exits.
const MAX_COMPARISONS = 100;

interface Running {
  readonly git: GitProcess;
  readonly output: AsyncIterator<Buffer>;
  comparisons: number;
}

/**
 * Compares trees of one repository with one long-lived `git diff-tree --stdin`, one pair at a time. Most comparisons
 * take less time than starting a process, which also blocks the main thread.
 */
export class DiffReader implements Resident {
  readonly #repo: Repository;
  readonly #flags: readonly string[];
  #running: Running | undefined;
  #since = 0;
  #retired = false;

  constructor(repo: Repository, flags: readonly string[]) {
    this.#repo = repo;
    this.#flags = ['--stdin', ...flags];
  }

  /** 1 while a comparison is running. */
  get load(): number {
    return this.#since > 0 ? 1 : 0;
  }

  get waitingSince(): number {
    return this.#since;
  }

  replace(): void {
    this.#end();
  }

  retire(): void {
    this.#retired = true;
    if (this.load === 0) this.#end();
  }

  close(): void {
    this.#retired = true;
    this.#end();
  }

  /** Streams git's output for two trees. A caller that stops reading early ends the process. */
  async *compare(
    from: string,
    to: string,
    { signal, timeoutMs }: Pick<GitOptions, 'signal' | 'timeoutMs'> = {},
  ): AsyncGenerator<Buffer, void> {
    if (this.load > 0) throw new Error('a comparison is already running');
    this.#since = Date.now();
    const outcome = { timedOut: false, aborted: signal?.aborted === true };
    const abortWith = (reason: keyof typeof outcome) => () => {
      outcome[reason] = true;
      this.#end();
    };
    const timer = timeoutMs ? setTimeout(abortWith('timedOut'), timeoutMs).unref() : undefined;
    const abort = abortWith('aborted');
    signal?.addEventListener('abort', abort, { once: true });
    let complete = false;
    try {
      if (!outcome.aborted) yield* this.#output(from, to);
      complete = !outcome.aborted;
    } catch (error) {
      if (!outcome.aborted && !outcome.timedOut) throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#since = 0;
      if (!complete || this.#retired) this.#end();
    }
    if (!complete) throw new GitError('git diff-tree was terminated', outcome);
  }

  async *#output(from: string, to: string): AsyncGenerator<Buffer, void> {
    const running = this.#ready();
    running.comparisons += 1;
    // diff-tree echoes a line that is not an object id. No line of a patch or of a raw list can equal this UUID.
    const mark = randomUUID();
    running.git.stdin.write(`${from} ${to}\n${mark}\n`);
    const answer = new MarkedOutput(`${from} ${to}`, mark);
    for (;;) {
      const next = await running.output.next().catch((cause: unknown) => ({ done: true, value: cause }) as const);
      if (next.done) {
        throw new GitError('git diff-tree exited early', { cause: next.value, stderr: running.git.stderrText() });
      }
      const { bytes, done } = read(answer, next.value, running.git);
      if (bytes.length > 0) yield bytes;
      if (done) return;
    }
  }

  #ready(): Running {
    if ((this.#running?.comparisons ?? 0) >= MAX_COMPARISONS) this.#end();
    if (this.#running) return this.#running;
    const git = spawnResident(this.#repo, { name: 'diff-tree', flags: this.#flags });
    const running = { git, output: git.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>, comparisons: 0 };
    const onExit = () => {
      if (this.#running === running) this.#running = undefined;
    };
    git.done.then(onExit, onExit);
    this.#running = running;
    return running;
  }

  #end(): void {
    this.#running?.git.kill();
    this.#running = undefined;
  }
}

function read(answer: MarkedOutput, piece: Buffer, git: GitProcess): ReturnType<MarkedOutput['push']> {
  try {
    return answer.push(piece);
  } catch (cause) {
    // git skips a tree that it cannot read and prints the reason to stderr.
    throw new GitError('git diff-tree could not compare', { cause, stderr: git.stderrText() });
  }
}
