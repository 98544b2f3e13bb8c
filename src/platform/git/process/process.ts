import { type Duplex, type Readable, Transform, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Repository } from '../repository.ts';
import { gitEnvironment } from './environment.ts';
import { GitBusyError, GitError } from './errors.ts';
import { launch, NoPipes } from './launch.ts';
import type { Launch, Launched } from './launched.ts';
import type { GitOptions } from './options.ts';
import type { SubcommandRule } from './subcommands.ts';

/** A running git process. */
export interface GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The pipes requested by `extraFds`: descriptors 3, 4, ... of the process. */
  readonly fds: readonly Duplex[];
  /** Returns the last 64 KiB written to standard error so far. */
  stderrText(): string;
  /** Settles when the process has exited; rejects with GitError unless the exit code is accepted. */
  readonly done: Promise<{ code: number }>;
  kill(): void;
}

interface Fate {
  timedOut: boolean;
  truncated: boolean;
  aborted: boolean;
}

const STDERR_BYTES = 64 * 1024;

let memoryLimit = 0;

/** Sets how many bytes of memory one git process may allocate; 0 for unlimited. */
export function limitGitMemory(bytes: number): void {
  memoryLimit = bytes;
}

/** Fetches, pushes and repacking work on whole repositories. */
const largerFor = (rule: SubcommandRule) => (rule.lane === 'transport' || rule.flags.has('--geometric') ? 4 : 1);

// A few objects can reference each other so often that processing them fills any memory. The limit is on allocations:
// packs are mapped and may be larger. If the shell does not support this limit, there is none.
function limitedCommand(argv: readonly string[], rule: SubcommandRule): [string, ...string[]] {
  if (memoryLimit === 0) return ['git', ...argv];
  const kibibytes = Math.ceil((memoryLimit * largerFor(rule)) / 1024);
  return ['/bin/sh', '-c', 'ulimit -d "$0" 2>/dev/null; exec git "$@"', String(kibibytes), ...argv];
}

/** Shell exit codes for a program that does not exist or cannot be run. */
const notStarted = new Set([126, 127]);

/** Starts git with an argument vector that the command module has checked. */
export function startProcess(
  repo: Repository,
  argv: readonly string[],
  rule: SubcommandRule,
  options: GitOptions,
): GitProcess {
  const env = gitEnvironment(repo, {
    transport: rule.transport,
    config: options.config,
    env: options.env,
    literalPaths: !options.pathspecMagic,
  });
  const [program, ...args] = limitedCommand(argv, rule);
  return supervise(started({ program, args, env, extra: options.extraFds ?? 0 }), `git ${argv[0]}`, options);
}

function started(request: Launch): Launched {
  try {
    return launch(request);
  } catch (error) {
    throw error instanceof NoPipes ? new GitBusyError(error.message, { cause: error }) : error;
  }
}

function supervise(child: Launched, name: string, options: GitOptions): GitProcess {
  const { stdin, stdout, stderr, fds, kill } = child;
  const fate: Fate = { timedOut: false, truncated: false, aborted: false };
  const abortWith = (reason: keyof Fate) => () => {
    fate[reason] = true;
    kill();
  };
  const timer = options.timeoutMs ? setTimeout(abortWith('timedOut'), options.timeoutMs).unref() : undefined;
  const abort = abortWith('aborted');
  if (options.signal?.aborted) abort();
  else options.signal?.addEventListener('abort', abort, { once: true });
  // A process that exits before it has read all its input is judged by its exit code, not by the broken pipe.
  stdin.on('error', () => {});
  for (const fd of fds) fd.on('error', () => {});
  const stderrText = collectTail(stderr, STDERR_BYTES);
  if (options.onStderr) stderr.on('data', options.onStderr);
  const done = settle(child, name, fate, stderrText, options).finally(() => {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', abort);
  });
  // Callers that only watch the output see the failure there; awaiting `done` still rejects.
  done.catch(() => {});
  feed(stdin, options.stdin, kill);
  const output =
    options.maxOutputBytes === undefined ? stdout : limited(stdout, options.maxOutputBytes, abortWith('truncated'));
  return { stdin, stdout: output, fds, stderrText, done, kill };
}

async function settle(
  child: Launched,
  name: string,
  fate: Fate,
  stderr: () => string,
  options: GitOptions,
): Promise<{ code: number }> {
  const exit = await child.ended.catch((cause: unknown) => {
    throw new GitError(`${name} could not be started`, { ...fate, cause, unavailable: true });
  });
  const code = exit ?? -1;
  const killed = fate.timedOut || fate.truncated || fate.aborted;
  if (!killed && (options.okCodes ?? [0]).includes(code)) return { code };
  const why = fate.timedOut ? 'took too long' : fate.truncated ? 'printed too much' : `ended with code ${code}`;
  throw new GitError(`${name} ${why}`, { ...fate, code, stderr: stderr(), unavailable: notStarted.has(code) });
}

function feed(stdin: Writable, input: GitOptions['stdin'], kill: () => void): void {
  if (input === undefined) return;
  if (typeof input === 'string' || Buffer.isBuffer(input)) {
    stdin.end(input);
    return;
  }
  input.pipe(stdin);
  // An upload that is cut off must not look complete to git.
  finished(input, { writable: false }).catch(kill);
}

function limited(stdout: Readable, limit: number, exceeded: () => void): Readable {
  let total = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      total += chunk.length;
      if (total <= limit) return callback(null, chunk);
      exceeded();
      callback();
    },
  });
  return stdout.pipe(counter);
}

function collectTail(stream: Readable, limit: number): () => string {
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]);
    if (tail.length > limit) tail = tail.subarray(tail.length - limit);
  });
  return () => tail.toString('utf8');
}
