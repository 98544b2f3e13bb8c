import { join } from 'node:path';
import { holdFolders } from '../objects/loose-folders.ts';
import { type GitProcess, type Repository, spawnGit } from '../process/command.ts';
import { type HookCall, HookCallParser, hookAnswer, type RefChange, shownLines } from './hooks.ts';
import { progressLine, wholePackets } from './pkt-line.ts';
import { type PushReport, readReport } from './push-report.ts';
import { relay } from './relay.ts';
import { feed, protocolVariable, type Session, type SessionResult, sessionResult } from './transport.ts';

/** A push before any ref has moved. */
export interface Push {
  readonly changes: readonly RefChange[];
  readonly pushOptions: readonly string[];
  /** The repository as it would be: pushed objects can be read through it. */
  readonly repo: Repository;
}

/** What the server has to say about a push. */
export interface ReceiveHooks {
  /** Refuses the whole push with a text, or lets it pass with undefined. */
  onPreReceive(push: Push): Promise<string | undefined>;
  /**
   * Learns which refs really moved, and returns lines to show to the pusher. The client waits for it. It is not called
   * when nothing moved, nor for the rare client that wants no report: git says nothing then.
   */
  onPostReceive(push: Omit<Push, 'repo'>): Promise<readonly string[]>;
}

/** A push session. */
export interface ReceiveSession extends Session {
  /** What `installHooks` returned. */
  readonly hooksPath: string;
  readonly hooks: ReceiveHooks;
  /** The largest pack that is taken. */
  readonly maxInputBytes?: number;
}

/** How a push ended. */
export interface ReceiveResult extends SessionResult {
  /** What `onPreReceive` let pass; git may still have refused some of it. */
  readonly accepted: readonly RefChange[];
  /** As far as git reported it. */
  readonly moved: readonly RefChange[];
  readonly refusal: string | undefined;
  /** The error of `onPreReceive`, for which the push was refused. */
  readonly failure: unknown;
}

const FAILED_CHECK = 'The server could not check this push. Please try again later.';

/**
 * Serves a push. Until `onPreReceive` has let it pass, a client that leaves ends it. From then on refs may move, so it
 * runs to its end whatever happens, and what git reports is held back until `onPostReceive` is through: no client
 * hears "ok" before the server has recorded it. Rejects when `onPostReceive` does; the report is then never sent.
 */
export async function receivePack(repo: Repository, session: ReceiveSession): Promise<ReceiveResult> {
  const check = new PreReceive(repo, session.hooks);
  const cancel = new AbortController();
  const abandon = () => {
    if (!check.passed) cancel.abort();
  };
  session.signal?.addEventListener('abort', abandon, { once: true });
  if (session.signal?.aborted) abandon();
  try {
    const git = await startReceivePack(repo, session, cancel.signal);
    check.attend(git);
    feed(git, session, abandon);
    const recorded = new Recording(check, session.hooks);
    const sent = await relay(recorded.follow(git), session.output, abandon);
    const { refusal, failure } = check;
    return { ...(await sessionResult(git, sent)), accepted: check.changes, moved: recorded.moved, refusal, failure };
  } finally {
    session.signal?.removeEventListener('abort', abandon);
    await check.release();
  }
}

function startReceivePack(repo: Repository, session: ReceiveSession, signal: AbortSignal): Promise<GitProcess> {
  const flags = session.stateless ? ['--stateless-rpc'] : [];
  const size = session.maxInputBytes;
  return spawnGit(
    repo,
    { name: 'receive-pack', flags, args: [repo.path] },
    {
      signal,
      env: protocolVariable(session.protocol),
      extraFds: 2,
      config: {
        'core.hooksPath': session.hooksPath,
        ...(size === undefined ? {} : { 'receive.maxInputSize': String(size) }),
      },
    },
  );
}

/** The check between the arrival of the objects and the move of the refs. */
class PreReceive {
  /** Set in the same turn as the answer is given: from here on the push cannot be called off. */
  passed = false;
  changes: readonly RefChange[] = [];
  pushOptions: readonly string[] = [];
  refusal: string | undefined;
  failure: unknown;
  /** Lets go of the folders that the objects move into. */
  release = async (): Promise<void> => {};
  readonly #repo: Repository;
  readonly #hooks: ReceiveHooks;

  constructor(repo: Repository, hooks: ReceiveHooks) {
    this.#repo = repo;
    this.#hooks = hooks;
  }

  /** Answers the hook of a process for as long as it lives. */
  attend(git: GitProcess): void {
    const [calls, answers] = git.fds;
    if (!calls || !answers) throw new Error('git receive-pack has no hook pipes');
    const parser = new HookCallParser();
    answers.resume();
    calls.on('data', (chunk: Buffer) => {
      // Once a call was too long, the rest of it is only read: the hook must get to its answer.
      if (this.failure) return;
      try {
        for (const call of parser.push(chunk)) void this.#answer(call).then((answer) => answers.write(answer));
      } catch (error) {
        this.failure = error;
        answers.write(refusalAnswer(FAILED_CHECK));
      }
    });
  }

  async #answer({ changes, pushOptions, quarantine }: HookCall): Promise<string> {
    const repo = quarantine ? { path: this.#repo.path, quarantine } : this.#repo;
    try {
      this.refusal = await this.#hooks.onPreReceive({ changes, pushOptions, repo });
      if (quarantine && this.refusal === undefined) {
        this.release = await holdFolders(quarantine.objectDirectory, join(this.#repo.path, 'objects'));
      }
    } catch (error) {
      this.failure = error;
      return refusalAnswer(FAILED_CHECK);
    }
    if (this.refusal !== undefined) return refusalAnswer(this.refusal);
    this.changes = changes;
    this.pushOptions = pushOptions;
    this.passed = true;
    return hookAnswer('ok', []);
  }
}

/** Learns from git's own report which refs moved: a hook for it would be another process for every push. */
class Recording {
  moved: readonly RefChange[] = [];
  readonly #check: PreReceive;
  readonly #hooks: ReceiveHooks;

  constructor(check: PreReceive, hooks: ReceiveHooks) {
    this.#check = check;
    this.#hooks = hooks;
  }

  /** What git says, as the client may hear it: the report last, when the push is recorded. */
  async *follow(git: GitProcess): AsyncGenerator<Buffer, void> {
    const held: Buffer[] = [];
    for await (const chunk of wholePackets(git.stdout as AsyncIterable<Buffer>)) {
      if (this.#check.passed) held.push(chunk);
      else yield chunk;
    }
    if (!this.#check.passed) return;
    // When git or the recording broke down, the report is dropped: the client sees a broken push, not a good one.
    await git.done;
    yield* await this.#record(readReport(Buffer.concat(held)));
    yield* held;
  }

  async #record({ moved, banded }: PushReport): Promise<readonly Buffer[]> {
    const { changes, pushOptions } = this.#check;
    this.moved = changes.filter(({ ref }) => moved?.has(ref));
    if (this.moved.length === 0) return [];
    const lines = await this.#hooks.onPostReceive({ changes: this.moved, pushOptions });
    return banded ? shownLines(lines).map((line) => progressLine(`${line}\n`)) : [];
  }
}

function refusalAnswer(text: string): string {
  return hookAnswer('no', [`GitLab: ${text}`]);
}
