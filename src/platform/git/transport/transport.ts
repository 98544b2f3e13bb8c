import { pipeline, type Readable, type Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type GitCommand, type GitOptions, type GitProcess, type Repository, spawnGit } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import { PackWatch } from './pack-watch.ts';
import type { PackReader, StartPacking } from './packs/cache.ts';
import { answerKey, type FetchRequest, parseShareableFetch } from './packs/fetch-request.ts';
import { PackHookHandler, type PackSource, packHookConfig } from './packs/hook-handler.ts';
import { relay } from './relay.ts';

/** The services of git's protocol. */
export type GitService = 'git-upload-pack' | 'git-receive-pack';

/** One session between a client and git. */
export interface Session {
  /** The client's input, decompressed. */
  readonly input: Readable;
  /** The output to the client; it is not closed here. */
  readonly output: Writable;
  /** True for HTTP, where every request stands alone; an SSH session is one conversation. */
  readonly stateless: boolean;
  /** The requested protocol version, from the `Git-Protocol` header or the GIT_PROTOCOL variable. */
  readonly protocol?: string;
  readonly signal?: AbortSignal;
  /** Called when the client starts to receive objects. */
  readonly onPack?: () => void;
}

/** Result of a session. If nothing was sent and git failed, the request was invalid. */
export interface SessionResult {
  readonly ok: boolean;
  /** Bytes sent to the client. */
  readonly sent: number;
  /** git's error message. */
  readonly error: string | undefined;
}

/** Thrown for a content encoding that git clients do not use. */
export class UnsupportedEncoding extends Error {
  override readonly name = 'UnsupportedEncoding';
}

// Fetch requests are lists of ids: this is over a million of them.
const MAX_REQUEST_BYTES = 128 * 1024 * 1024;

/** Serves a fetch or clone, from a cached response or pack if possible; git is killed when the client disconnects. */
export async function uploadPack(repo: Repository, session: Session, packs?: PackSource): Promise<SessionResult> {
  const flags = session.stateless ? ['--stateless-rpc', '--strict'] : ['--strict'];
  const command: GitCommand = { name: 'upload-pack', flags, args: [repo.path] };
  const bytes = await packs?.cache.bytesToReserve(repo);
  if (!packs || bytes === undefined) return serve(repo, command, session);
  const { request, input } = await parseShareableFetch(session);
  const answer =
    request && packs.cache.take(answerKey(repo, request), bytes, startAnswer(repo, command, session, request));
  if (answer) return relayAnswer(answer, session);
  const hook = new PackHookHandler(repo, packs.cache, bytes);
  const config = packHookConfig(packs.hooksPath);
  try {
    return await serve(repo, command, { ...session, input }, { extraFds: 2, config }, (git) => hook.handle(git));
  } catch (error) {
    // Preferred because git was killed as a consequence of it.
    throw hook.failure ?? error;
  }
}

/** Produces a shared response; it continues when the client that requested it first disconnects. */
function startAnswer(
  repo: Repository,
  command: GitCommand,
  { protocol }: Session,
  request: FetchRequest,
): StartPacking {
  return (signal) => spawnGit(repo, command, { signal, env: protocolVariable(protocol), stdin: request.bytes });
}

async function relayAnswer({ pack, release }: PackReader, session: Session): Promise<SessionResult> {
  const disconnected = new AbortController();
  let sent = 0;
  const onChunk = packListener(session.onPack);
  const count = (chunk: Buffer) => {
    sent += chunk.length;
    onChunk?.(chunk);
  };
  try {
    await relay(pack.read(disconnected.signal), session.output, () => disconnected.abort(), count);
    disconnected.signal.throwIfAborted();
    return { ok: true, sent, error: undefined };
  } catch (error) {
    return failedSession(error, sent);
  } finally {
    release();
  }
}

/** Serves `git archive --remote`, whose paths may be patterns, as in a local archive. */
export function uploadArchive(repo: Repository, session: Session): Promise<SessionResult> {
  return serve(repo, { name: 'upload-archive', args: [repo.path] }, session, { pathspecMagic: true });
}

/** Decompresses a request body: git clients compress all but the smallest. */
export function inflated(input: Readable, encoding: string | undefined): Readable {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return input;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw new UnsupportedEncoding(`unsupported encoding ${encoding}`);
  // A corrupt body surfaces as an error of the decompressed stream.
  return pipeline(input, createGunzip(), () => {});
}

/**
 * Returns the variable that passes the client's protocol version to git; malformed values are dropped, as git would do.
 */
export function protocolVariable(protocol: string | undefined): Record<string, string> {
  return protocol !== undefined && /^[A-Za-z0-9=:._-]{1,256}$/.test(protocol) ? { GIT_PROTOCOL: protocol } : {};
}

async function serve(
  repo: Repository,
  command: GitCommand,
  session: Session,
  options: Pick<GitOptions, 'pathspecMagic' | 'extraFds' | 'config'> = {},
  started?: (git: GitProcess) => void,
): Promise<SessionResult> {
  const env = protocolVariable(session.protocol);
  const git = await spawnGit(repo, command, { ...options, signal: session.signal, env });
  started?.(git);
  pipeClientInput(git, session, git.kill, MAX_REQUEST_BYTES);
  const sent = await relay(git.stdout, session.output, git.kill, packListener(session.onPack));
  return sessionResult(git, sent);
}

function packListener(onPack: (() => void) | undefined): ((chunk: Buffer) => void) | undefined {
  if (!onPack) return undefined;
  const watch = new PackWatch();
  return (chunk) => {
    if (watch.push(chunk)) onPack();
  };
}

/** Sends the client's input to git. A session ends with the process, not with the input. */
export function pipeClientInput(git: GitProcess, session: Session, abandon: () => void, maxBytes?: number): void {
  const { input } = session;
  let taken = 0;
  input.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    if (session.stateless && maxBytes !== undefined && taken > maxBytes) abandon();
  });
  input.pipe(git.stdin);
  // An interrupted upload must not look complete to git.
  const broken = () => {
    if (!input.readableEnded) abandon();
  };
  input.once('error', abandon);
  input.once('close', broken);
  if (input.destroyed) broken();
  // git may stop reading before the client stops sending; the rest is discarded, so that the client proceeds to read
  // the response.
  git.stdin.once('close', () => {
    input.unpipe(git.stdin);
    if (session.stateless) input.resume();
  });
}

/** Returns the outcome of the process; rejects only when it was killed or never started. */
export async function sessionResult(git: GitProcess, sent: number): Promise<SessionResult> {
  try {
    await git.done;
    return { ok: true, sent, error: undefined };
  } catch (error) {
    return failedSession(error, sent);
  }
}

function failedSession(error: unknown, sent: number): SessionResult {
  if (error instanceof GitError && error.code > 0) return { ok: false, sent, error: error.stderr.trim() };
  throw error;
}
