import { type GitProcess, type Repository, spawnResident } from '../process/command.ts';
import { GitArgumentError, GitError } from '../process/errors.ts';
import type { Resident } from '../process/resident-pool.ts';
import { BatchParser } from './batch-parser.ts';
import type { ObjectContents, ObjectInfo } from './object.ts';

interface Request {
  readonly verb: 'info' | 'contents';
  readonly spec: string;
  deaths: number;
  resolve(answer: ObjectContents | ObjectInfo): void;
  reject(error: Error): void;
}

// A second crash on the same request means that the object crashes the reader.
const MAX_DEATHS = 2;

/**
 * Reads one repository through one long-lived `git cat-file --batch-command`. Requests of the same event loop turn are
 * sent together and answered in order. A process that dies is replaced, and its unanswered requests are sent again.
 */
export class ObjectReader implements Resident {
  readonly #repo: Repository;
  readonly #pending: Request[] = [];
  #process: GitProcess | undefined;
  #unsent: Request[] = [];
  #closed = false;
  #waitingSince = 0;

  constructor(repo: Repository) {
    this.#repo = repo;
  }

  /** Number of unanswered requests. */
  get load(): number {
    return this.#pending.length + this.#unsent.length;
  }

  /** Time since which the oldest request is waiting; 0 when there is none. */
  get waitingSince(): number {
    return this.#pending.length > 0 ? this.#waitingSince : 0;
  }

  info(spec: string): Promise<ObjectInfo> {
    return this.#ask('info', spec) as Promise<ObjectInfo>;
  }

  contents(spec: string): Promise<ObjectContents> {
    return this.#ask('contents', spec) as Promise<ObjectContents>;
  }

  /** Ends the process after the pending requests are answered; no further requests are accepted. */
  retire(): void {
    this.#closed = true;
    if (this.load === 0) this.#process?.stdin.end();
  }

  /** Kills a hanging process; its requests are sent to a new one. */
  replace(): void {
    this.#process?.kill();
  }

  /** Ends the process immediately; pending requests fail. */
  close(): void {
    this.#closed = true;
    const owed = [...this.#pending.splice(0), ...this.#unsent.splice(0)];
    for (const request of owed) request.reject(new GitError('the object reader is closed', { aborted: true }));
    this.#process?.kill();
  }

  #ask(verb: Request['verb'], spec: string): Promise<ObjectContents | ObjectInfo> {
    if (this.#closed) return Promise.reject(new GitError('the object reader is closed', {}));
    // Each request is one line: a line break inside would be a second command.
    if (spec === '' || /[\0\n]/.test(spec)) return Promise.reject(new GitArgumentError('not an object name'));
    return new Promise((resolve, reject) => this.#enqueue({ verb, spec, deaths: 0, resolve, reject }));
  }

  #enqueue(request: Request): void {
    if (this.#unsent.length === 0) process.nextTick(() => this.#send());
    this.#unsent.push(request);
  }

  #send(): void {
    const batch = this.#unsent;
    this.#unsent = [];
    if (batch.length === 0) return;
    this.#process ??= this.#start();
    if (this.#pending.length === 0) this.#waitingSince = Date.now();
    this.#pending.push(...batch);
    let commands = '';
    for (const { verb, spec } of batch) commands += `${verb} ${spec}\n`;
    this.#process.stdin.write(`${commands}flush\n`);
  }

  #start(): GitProcess {
    const git = spawnResident(this.#repo, { name: 'cat-file', flags: ['--batch-command', '--buffer'] });
    const parser = new BatchParser(
      () => this.#pending[0]?.verb === 'contents',
      (answer) => this.#answer(answer),
    );
    git.stdout.on('data', (chunk: Buffer) => {
      try {
        parser.push(chunk);
      } catch {
        // Out of sync with the process: its further output cannot be trusted.
        git.kill();
      }
    });
    git.done.then(
      () => this.#died(git, new GitError('git cat-file exited early', {})),
      (error: Error) => this.#died(git, error),
    );
    return git;
  }

  #answer(answer: ObjectContents | ObjectInfo): void {
    this.#waitingSince = Date.now();
    this.#pending.shift()?.resolve(answer);
    if (this.#closed && this.load === 0) this.#process?.stdin.end();
  }

  #died(git: GitProcess, error: Error): void {
    if (this.#process === git) this.#process = undefined;
    const owed = this.#pending.splice(0);
    const [first] = owed;
    if (first && ++first.deaths >= MAX_DEATHS) owed.shift()?.reject(error);
    if (owed.length === 0) return;
    if (this.#unsent.length === 0) process.nextTick(() => this.#send());
    this.#unsent.unshift(...owed);
  }
}
