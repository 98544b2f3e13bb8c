import { type GitOptions, type Repository, run } from '../process/command.ts';
import { HIDDEN_REFS } from '../process/environment.ts';
import { gitLines } from '../process/output.ts';

/** Selects commits. */
export interface LogQuery {
  /** Starting points: ids or ref names, `^x` to exclude what x reaches, `a..b`, `a...b`. */
  readonly revisions?: readonly string[];
  /** Starts at every ref visible to clients; `revisions` is optional then. */
  readonly all?: boolean;
  /** Only commits that changed this literal path. */
  readonly path?: string;
  /** Follows the path through renames; only for a single file. */
  readonly follow?: boolean;
  /** Pattern for name or e-mail, as for `git log --author`. */
  readonly author?: string;
  /** Case-insensitive substring of the message. */
  readonly message?: string;
  /** Committer dates, inclusive, in milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly firstParent?: boolean;
  readonly order?: 'default' | 'topo';
  readonly skip?: number;
  readonly limit?: number;
}

/** Time limit and cancellation of one listing. */
export type LogOptions = Pick<GitOptions, 'signal' | 'timeoutMs'>;

/** Runs work that needs a process after waiting for a free slot, and passes it the limits to apply. */
export type WithProcessSlot = <T>(work: (limits: LogOptions) => Promise<T>) => Promise<T>;

export const TIMEOUT_MS = 30_000;

/** Yields the ids of the selected commits, newest first. */
export async function* logIds(
  repo: Repository,
  query: LogQuery,
  options: LogOptions = {},
): AsyncGenerator<string, void> {
  // Only `log` can follow renames; `rev-list` is faster otherwise.
  const follow = query.follow === true && query.path !== undefined;
  const command = {
    name: follow ? 'log' : 'rev-list',
    flags: [...(follow ? ['--follow', '--format=%H', '--no-patch'] : []), ...queryFlags(query), ...pageFlags(query)],
    ...startingPoints(query),
  } as const;
  for await (const line of gitLines(repo, command, { timeoutMs: TIMEOUT_MS, ...options })) {
    yield line.toString('latin1');
  }
}

/** Returns the ids as an array, for one page. */
export function commitIds(repo: Repository, query: LogQuery, options: LogOptions = {}): Promise<string[]> {
  return Array.fromAsync(logIds(repo, query, options));
}

/** Counts the selected commits, honouring `skip` and `limit`. */
export async function countCommits(repo: Repository, query: LogQuery, options: LogOptions = {}): Promise<number> {
  const command = {
    name: 'rev-list',
    flags: ['--count', ...queryFlags(query), ...pageFlags(query)],
    ...startingPoints(query),
  } as const;
  const { stdout } = await run(repo, command, { timeoutMs: TIMEOUT_MS, ...options });
  return Number(stdout.toString('latin1').trim());
}

/** Returns the newest commit reachable from a revision that changed a literal path; undefined when there is none. */
export async function lastCommit(
  repo: Repository,
  revision: string,
  path: string,
  options: LogOptions = {},
): Promise<string | undefined> {
  const [id] = await commitIds(repo, { revisions: [revision], path, limit: 1 }, options);
  return id;
}

/** Returns the flags of a query, except paging. */
export function queryFlags(query: LogQuery): string[] {
  const flags: string[] = [];
  if (query.author !== undefined) flags.push(`--author=${query.author}`);
  if (query.message !== undefined) flags.push(`--grep=${query.message}`, '--regexp-ignore-case', '--fixed-strings');
  if (query.since !== undefined) flags.push(`--since=${gitDate(query.since)}`);
  if (query.until !== undefined) flags.push(`--until=${gitDate(query.until)}`);
  if (query.firstParent) flags.push('--first-parent');
  if (query.order === 'topo') flags.push('--topo-order');
  if (query.all) flags.push(...HIDDEN_REFS.map((prefix) => `--exclude=${prefix}/*`), '--all');
  return flags;
}

function pageFlags(query: LogQuery): string[] {
  const flags: string[] = [];
  if (query.skip) flags.push(`--skip=${query.skip}`);
  if (query.limit !== undefined) flags.push(`--max-count=${query.limit}`);
  return flags;
}

function startingPoints(query: LogQuery): { args: readonly string[]; paths: readonly string[] } {
  return { args: query.revisions ?? [], paths: query.path === undefined ? [] : [query.path] };
}

function gitDate(milliseconds: number): string {
  return `@${Math.max(0, Math.floor(milliseconds / 1000))} +0000`;
}
