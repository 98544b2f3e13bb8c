import { type GitProcess, type Repository, spawnGit } from './command.ts';
import { type HookCall, HookCallParser, hookAnswer, type RefChange } from './hooks.ts';
import { feed, protocolVariable, relay, type Session, type SessionResult, sessionResult } from './transport.ts';

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
  /** Learns which refs really moved, and returns lines to show to the pusher. The client waits for it. */
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
  const conversation = new HookConversation(repo, session.hooks);
  const cancel = new AbortController();
  const abandon = () => {
    if (!conversation.committed) cancel.abort();
  };
  session.signal?.addEventListener('abort', abandon, { once: true });
  if (session.signal?.aborted) abandon();
  try {
    const git = await startReceivePack(repo, session, cancel.signal);
    conversation.attend(git);
    feed(git, session, abandon);
    const sent = await relay(heldBack(git, conversation), session.output, abandon);
    return { ...(await sessionResult(git, sent)), ...conversation.outcome() };
  } finally {
    session.signal?.removeEventListener('abort', abandon);
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

/** git's report comes out before its post-receive hook has run; it waits here. */
async function* heldBack(git: GitProcess, conversation: HookConversation): AsyncGenerator<Buffer, void> {
  let held: Buffer[] = [];
  for await (const chunk of git.stdout as AsyncIterable<Buffer>) {
    held.push(chunk);
    if (conversation.holding) continue;
    yield* held;
    held = [];
  }
  // When git or the recording broke down, the report is dropped: the client sees a broken push, not a good one.
  if (conversation.holding) await git.done;
  conversation.throwFailedRecord();
  yield* held;
}

class HookConversation {
  /** Set in the same turn as the answer is given: from here on the push cannot be called off. */
  committed = false;
  #recorded = false;
  #accepted: readonly RefChange[] = [];
  #moved: readonly RefChange[] = [];
  #refusal: string | undefined;
  #failure: unknown;
  #failedRecord: { readonly error: unknown } | undefined;
  readonly #repo: Repository;
  readonly #hooks: ReceiveHooks;

  constructor(repo: Repository, hooks: ReceiveHooks) {
    this.#repo = repo;
    this.#hooks = hooks;
  }

  get holding(): boolean {
    return this.committed && !this.#recorded;
  }

  /** Answers the hooks of a process for as long as it lives. */
  attend(git: GitProcess): void {
    const [calls, answers] = git.fds;
    if (!calls || !answers) throw new Error('git receive-pack has no hook pipes');
    const parser = new HookCallParser();
    answers.resume();
    calls.on('data', (chunk: Buffer) => {
      // Once a call was too long, the rest of it is only read: the hook must get to its answer.
      if (this.#failure) return;
      try {
        for (const call of parser.push(chunk)) void this.#answer(call).then((answer) => answers.write(answer));
      } catch (error) {
        this.#failure = error;
        answers.write(refusalAnswer(FAILED_CHECK));
      }
    });
  }

  /** What became of the push. */
  outcome(): Pick<ReceiveResult, 'accepted' | 'moved' | 'refusal' | 'failure'> {
    return { accepted: this.#accepted, moved: this.#moved, refusal: this.#refusal, failure: this.#failure };
  }

  throwFailedRecord(): void {
    if (this.#failedRecord) throw this.#failedRecord.error;
  }

  async #answer(call: HookCall): Promise<string> {
    if (call.name === 'pre-receive') {
      return this.#preReceive(call).catch((error: unknown) => {
        this.#failure = error;
        return refusalAnswer(FAILED_CHECK);
      });
    }
    return this.#postReceive(call).catch((error: unknown) => {
      this.#failedRecord = { error };
      return hookAnswer('ok', []);
    });
  }

  async #preReceive(call: HookCall): Promise<string> {
    const { changes, pushOptions, quarantine } = call;
    const repo = quarantine ? { path: this.#repo.path, quarantine } : this.#repo;
    this.#refusal = await this.#hooks.onPreReceive({ changes, pushOptions, repo });
    if (this.#refusal !== undefined) return refusalAnswer(this.#refusal);
    this.#accepted = changes;
    this.committed = true;
    return hookAnswer('ok', []);
  }

  async #postReceive(call: HookCall): Promise<string> {
    this.#moved = call.changes;
    const lines = await this.#hooks.onPostReceive({ changes: call.changes, pushOptions: call.pushOptions });
    this.#recorded = true;
    return hookAnswer('ok', lines);
  }
}

function refusalAnswer(text: string): string {
  return hookAnswer('no', [`GitLab: ${text}`]);
}
