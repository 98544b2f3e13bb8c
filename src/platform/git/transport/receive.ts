import { join } from 'node:path';
import { holdFolders } from '../objects/loose-folders.ts';
import { type GitProcess, type Repository, spawnGit } from '../process/command.ts';
import { type HookCall, HookCallParser, hookAnswer, type RefChange, shownLines } from './hooks.ts';
import { progressLine, wholePackets } from './pkt-line.ts';
import { type PushReport, readReport } from './push-report.ts';
import { relay } from './relay.ts';
import { pipeClientInput, protocolVariable, type Session, type SessionResult, sessionResult } from './transport.ts';

/** A push before any ref is updated. */
export interface Push {
  readonly changes: readonly RefChange[];
  readonly pushOptions: readonly string[];
  /** The repository including the pushed objects. */
  readonly repo: Repository;
}

/** The server's checks and actions during a push. */
export interface ReceiveHooks {
  /** Returns a message to reject the whole push, or undefined to accept it. */
  onPreReceive(push: Push): Promise<string | undefined>;
  /**
   * Called with the refs that were actually updated; returns lines to show to the pusher. The client waits for it. Not
   * called when nothing was updated, nor for the rare client that requests no report, because git reports nothing then.
   */
  onPostReceive(push: Omit<Push, 'repo'>): Promise<readonly string[]>;
}

/** A push session. */
export interface ReceiveSession extends Session {
  /** The path returned by `installHooks`. */
  readonly hooksPath: string;
  readonly hooks: ReceiveHooks;
  /** Maximum size of the pushed pack. */
  readonly maxInputBytes?: number;
}

/** Result of a push. */
export interface ReceiveResult extends SessionResult {
  /** The changes accepted by `onPreReceive`; git may still have rejected some of them. */
  readonly accepted: readonly RefChange[];
  /** The updates that git reported as successful. */
  readonly moved: readonly RefChange[];
  readonly refusal: string | undefined;
  /** The error of `onPreReceive` that caused the rejection. */
  readonly failure: unknown;
}

const FAILED_CHECK = 'The server could not check this push. Please try again later.';

/**
 * Serves a push. Until `onPreReceive` has accepted it, a client disconnect cancels it. From then on refs may be
 * updated, so it always runs to completion, and git's report is withheld until `onPostReceive` has returned: no client
 * sees "ok" before the server has recorded the push. Rejects when `onPostReceive` does; the report is then never sent.
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
    check.handle(git);
    pipeClientInput(git, session, abandon);
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

/** The check between receiving the objects and updating the refs. */
class PreReceive {
  /** Set in the same turn in which the answer is sent: from here on the push cannot be cancelled. */
  passed = false;
  changes: readonly RefChange[] = [];
  pushOptions: readonly string[] = [];
  refusal: string | undefined;
  failure: unknown;
  /** Releases the folders that the objects migrate into. */
  release = async (): Promise<void> => {};
  readonly #repo: Repository;
  readonly #hooks: ReceiveHooks;

  constructor(repo: Repository, hooks: ReceiveHooks) {
    this.#repo = repo;
    this.#hooks = hooks;
  }

  /** Answers the hook calls of a process. */
  handle(git: GitProcess): void {
    const [calls, answers] = git.fds;
    if (!calls || !answers) throw new Error('git receive-pack has no hook pipes');
    const parser = new HookCallParser();
    answers.resume();
    calls.on('data', (chunk: Buffer) => {
      // After an oversized call, the rest is only drained, so that the hook gets to read its answer.
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

/** Learns the updated refs from git's own report: a post-receive hook would cost another process per push. */
class Recording {
  moved: readonly RefChange[] = [];
  readonly #check: PreReceive;
  readonly #hooks: ReceiveHooks;

  constructor(check: PreReceive, hooks: ReceiveHooks) {
    this.#check = check;
    this.#hooks = hooks;
  }

  /** Yields git's output for the client, with the report held back until the push is recorded. */
  async *follow(git: GitProcess): AsyncGenerator<Buffer, void> {
    const held: Buffer[] = [];
    for await (const chunk of wholePackets(git.stdout as AsyncIterable<Buffer>)) {
      if (this.#check.passed) held.push(chunk);
      else yield chunk;
    }
    if (!this.#check.passed) return;
    // When git or the recording fails, the report is dropped, so that the client does not see a successful push.
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
