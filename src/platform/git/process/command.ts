import { finished } from 'node:stream/promises';
import { Limiter, type LimiterCounters, type Limits } from '../../concurrency.ts';
import type { Repository } from '../repository.ts';
import { GitArgumentError, GitBusyError, GitError } from './errors.ts';
import type { GitOptions } from './options.ts';
import { type GitProcess, startProcess } from './process.ts';
import { flagAllowed, type Lane, SUBCOMMANDS, type Subcommand, type SubcommandRule } from './subcommands.ts';

export type { Repository } from '../repository.ts';
export { GitArgumentError, GitBusyError, GitError } from './errors.ts';
export type { GitOptions } from './options.ts';
export type { GitProcess } from './process.ts';
export type { Subcommand } from './subcommands.ts';

/** A git command: what our code fixes (name, verb, flags) is separate from what callers provide (args, paths). */
export interface GitCommand {
  readonly name: Subcommand;
  /** Second word of a two-word subcommand, such as `commit-graph write`. */
  readonly verb?: string;
  /** Flags from the subcommand's table; values are attached (`--format=%H`, `-L1,5`), never separate arguments. */
  readonly flags?: readonly string[];
  /** Revisions, refs, ids; none may begin with a dash. */
  readonly args?: readonly string[];
  /** Paths, taken literally, after `--`. */
  readonly paths?: readonly string[];
}

const RUN_TIMEOUT_MS = 60_000;
const RUN_OUTPUT_BYTES = 64 * 1024 * 1024;

const tooManyProcesses = () => new GitBusyError('too many git processes are waiting');

const lanes: Readonly<Record<Lane, Limiter>> = {
  work: new Limiter({ running: 16, waiting: 512 }, tooManyProcesses),
  transport: new Limiter({ running: 64, waiting: 512 }, tooManyProcesses),
};

/** Sets how many git processes this server may run at a time. */
export function limitGitProcesses(limits: Partial<Record<Lane, Limits>>): void {
  if (limits.work) lanes.work.resize(limits.work);
  if (limits.transport) lanes.transport.resize(limits.transport);
}

/** Counters of the git processes, for the metrics. */
export function gitProcessCounters(): Readonly<Record<Lane, Readonly<LimiterCounters>>> {
  return { work: lanes.work.counters, transport: lanes.transport.counters };
}

/** Runs git to completion and returns its output; throws GitError on failure or when a limit is exceeded. */
export async function run(
  repo: Repository,
  command: GitCommand,
  options: GitOptions = {},
): Promise<{ code: number; stdout: Buffer; stderr: string }> {
  const git = await spawnGit(repo, command, {
    timeoutMs: RUN_TIMEOUT_MS,
    maxOutputBytes: RUN_OUTPUT_BYTES,
    ...options,
  });
  const chunks: Buffer[] = [];
  git.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (options.stdin === undefined) git.stdin.end();
  // Both: the process may exit before the last of its output has passed the limit counter.
  const [{ code }] = await Promise.all([git.done, finished(git.stdout)]);
  return { code, stdout: Buffer.concat(chunks), stderr: git.stderrText() };
}

/**
 * Starts git once its lane has capacity. The caller must read `stdout` to its end or call `kill`, and must await
 * `done`: the slot is released when the process exits. Starting one `work` process while holding another can deadlock.
 */
export async function spawnGit(repo: Repository, command: GitCommand, options: GitOptions = {}): Promise<GitProcess> {
  const argv = gitArguments(command);
  const rule: SubcommandRule = SUBCOMMANDS[command.name];
  const limit = lanes[options.lane ?? rule.lane];
  const release = await limit.acquire(options.signal);
  const failed = (error: unknown) => {
    limit.counters.failed++;
    if (error instanceof GitError && error.timedOut) limit.counters.timedOut++;
    release();
  };
  try {
    const git = startProcess(repo, argv, rule, options);
    git.done.then(release, failed);
    return git;
  } catch (error) {
    failed(error);
    throw error;
  }
}

/** Starts a long-lived git process at once; the pool that owns it bounds their number. */
export function spawnResident(repo: Repository, command: GitCommand, options: GitOptions = {}): GitProcess {
  return startProcess(repo, gitArguments(command), SUBCOMMANDS[command.name], options);
}

/** Returns the argument vector of a command; throws GitArgumentError if any part could be misinterpreted. */
export function gitArguments(command: GitCommand): string[] {
  const rule: SubcommandRule | undefined = Object.hasOwn(SUBCOMMANDS, command.name)
    ? SUBCOMMANDS[command.name]
    : undefined;
  if (!rule) throw new GitArgumentError(`git ${command.name} is not allowed`);
  const argv: string[] = [command.name];
  if (rule.verbs.length > 0) {
    if (!command.verb || !rule.verbs.includes(command.verb))
      throw new GitArgumentError(`git ${command.name}: unknown verb`);
    argv.push(command.verb);
  }
  for (const flag of command.flags ?? []) {
    if (!flagAllowed(rule, flag) || flag.includes('\0'))
      throw new GitArgumentError(`git ${command.name}: flag not allowed`);
    argv.push(flag);
  }
  const args = command.args ?? [];
  const paths = command.paths ?? [];
  for (const arg of args) checkArgument(command.name, arg);
  if (rule.endOfOptions && args.length > 0) argv.push('--end-of-options');
  argv.push(...args);
  if (paths.some((path) => path.includes('\0'))) throw new GitArgumentError(`git ${command.name}: path with a NUL`);
  if (rule.dashDash === 'always' || (rule.dashDash === 'paths' && paths.length > 0)) argv.push('--');
  argv.push(...paths);
  return argv;
}

function checkArgument(name: string, arg: string): void {
  if (arg.startsWith('-')) throw new GitArgumentError(`git ${name}: argument begins with a dash`);
  if (/[\0\n]/.test(arg)) throw new GitArgumentError(`git ${name}: argument with a NUL or a newline`);
}
