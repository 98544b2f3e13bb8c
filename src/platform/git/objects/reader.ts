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

// A second death at the same request means that the object kills the reader.
const MAX_DEATHS = 2;

/**
 * One repository read through one long-lived `git cat-file --batch-command`. Requests of one turn of the event loop are
 * sent together and answered in order. A process that dies is replaced, and what it still owed is asked again.
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

  /** How many requests are not yet answered. */
  get load(): number {
    return this.#pending.length + this.#unsent.length;
  }

  /** Since when the oldest answer is awaited; 0 when none is. */
  get waitingSince(): number {
    return this.#pending.length > 0 ? this.#waitingSince : 0;
  }

  info(spec: string): Promise<ObjectInfo> {
    return this.#ask('info', spec) as Promise<ObjectInfo>;
  }

  contents(spec: string): Promise<ObjectContents> {
    return this.#ask('contents', spec) as Promise<ObjectContents>;
  }

  /** Ends the process once it has answered what was asked; nothing may be asked after. */
  retire(): void {
    this.#closed = true;
    if (this.load === 0) this.#process?.stdin.end();
  }

  /** Ends a process that hangs: another takes over what it owes. */
  replace(): void {
    this.#process?.kill();
  }

  /** Ends the process now; what was asked fails. */
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
        // Out of step with the process: nothing it says can be trusted any more.
        git.kill();
      }
    });
    git.done.then(
      () => this.#died(git, new GitError('git cat-file ended early', {})),
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
