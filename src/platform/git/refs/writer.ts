import { type GitProcess, type Repository, spawnResident } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import type { Resident } from '../process/resident-pool.ts';
import { type RefUpdate, type RefUpdateResult, readRefFailure, transactionInput } from './update.ts';

interface Transaction {
  readonly updates: readonly RefUpdate[];
  resolve(result: RefUpdateResult): void;
  reject(error: Error): void;
}

/**
 * Runs the ref transactions of one repository through one long-lived `git update-ref --stdin`: 1 ms each instead of a
 * process. Transactions run one at a time, so that writers within this server never contend for git's lock files. git
 * exits when a transaction fails, releasing its locks; the next transaction starts a new process.
 */
export class RefWriter implements Resident {
  readonly #repo: Repository;
  readonly #queue: Transaction[] = [];
  #current: Transaction | undefined;
  #process: GitProcess | undefined;
  #printed = '';
  #closed = false;
  /** The process was killed; no transaction is sent until it has exited. */
  #isLeaving = false;
  #since = 0;

  constructor(repo: Repository) {
    this.#repo = repo;
  }

  get load(): number {
    return this.#queue.length + (this.#current ? 1 : 0);
  }

  get waitingSince(): number {
    return this.#current ? this.#since : 0;
  }

  /** Makes all updates or none. They must have been validated: a malformed name would corrupt the protocol. */
  update(updates: readonly RefUpdate[]): Promise<RefUpdateResult> {
    if (this.#closed) return Promise.reject(new GitError('the ref writer is closed', {}));
    return new Promise((resolve, reject) => {
      this.#queue.push({ updates, resolve, reject });
      this.#next();
    });
  }

  replace(): void {
    this.#isLeaving = this.#process !== undefined;
    this.#process?.kill();
  }

  retire(): void {
    this.#closed = true;
    if (this.load === 0) this.#process?.stdin.end();
  }

  close(): void {
    this.#closed = true;
    for (const waiting of this.#queue.splice(0)) waiting.reject(new GitError('the ref writer is closed', {}));
    this.#process?.kill();
  }

  #next(): void {
    if (this.#current || this.#isLeaving) return;
    this.#current = this.#queue.shift();
    if (this.#current) {
      this.#since = Date.now();
      this.#process ??= this.#start();
      this.#process.stdin.write(transactionInput(this.#current.updates));
    } else if (this.#closed) {
      this.#process?.stdin.end();
    }
  }

  #start(): GitProcess {
    const git = spawnResident(this.#repo, { name: 'update-ref', flags: ['--stdin', '-z'] });
    this.#printed = '';
    git.stdout.on('data', (chunk: Buffer) => {
      this.#printed += chunk.toString('latin1');
      if (!this.#printed.endsWith('commit: ok\n')) return;
      this.#printed = '';
      this.#finish((transaction) => transaction.resolve({ status: 'ok' }));
    });
    git.done.then(
      () => this.#died(git, new GitError('git update-ref exited early', {})),
      (error: GitError) => this.#died(git, error),
    );
    return git;
  }

  #died(git: GitProcess, error: GitError): void {
    if (this.#process === git) this.#process = undefined;
    this.#isLeaving = false;
    if (!this.#current) {
      this.#next();
      return;
    }
    const failure = readRefFailure(error.stderr);
    this.#finish((transaction) => (failure ? transaction.resolve(failure) : transaction.reject(error)));
  }

  #finish(settle: (transaction: Transaction) => void): void {
    const transaction = this.#current;
    this.#current = undefined;
    if (transaction) settle(transaction);
    this.#next();
  }
}
