import { type GitOptions, type Repository, run } from '../process/command.ts';
import { HIDDEN_REFS } from '../process/environment.ts';
import { gitLines } from '../process/output.ts';

/** Which commits to list. */
export interface LogQuery {
  /** Where to start: ids or ref names, `^x` to leave out what x reaches, `a..b`, `a...b`. */
  readonly revisions?: readonly string[];
  /** Starts at every ref that clients may see; `revisions` may be left out. */
  readonly all?: boolean;
  /** Only commits that changed this path, taken literally. */
  readonly path?: string;
  /** Follows the path through renames; only for the path of one file. */
  readonly follow?: boolean;
  /** A pattern for name or e-mail, as of `git log --author`. */
  readonly author?: string;
  /** A part of the message, in any case. */
  readonly message?: string;
  /** Committer dates, inclusive, in milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly firstParent?: boolean;
  readonly order?: 'default' | 'topo';
  readonly skip?: number;
  readonly limit?: number;
}

/** Limits and cancellation of one listing. */
export type LogOptions = Pick<GitOptions, 'signal' | 'timeoutMs'>;

/** Runs what needs a process, under the limits that it hands over: a place to wait for a turn. */
export type Slowly = <T>(work: (limits: LogOptions) => Promise<T>) => Promise<T>;

export const TIMEOUT_MS = 30_000;

/** The ids of the commits that a query selects, newest first, as git finds them. */
export async function* logIds(
  repo: Repository,
  query: LogQuery,
  options: LogOptions = {},
): AsyncGenerator<string, void> {
  // Only `log` can follow renames; `rev-list` is the leaner one otherwise.
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

/** The same as an array, for one page. */
export function commitIds(repo: Repository, query: LogQuery, options: LogOptions = {}): Promise<string[]> {
  return Array.fromAsync(logIds(repo, query, options));
}

/** How many commits a query selects; `skip` and `limit` count as well. */
export async function countCommits(repo: Repository, query: LogQuery, options: LogOptions = {}): Promise<number> {
  const command = {
    name: 'rev-list',
    flags: ['--count', ...queryFlags(query), ...pageFlags(query)],
    ...startingPoints(query),
  } as const;
  const { stdout } = await run(repo, command, { timeoutMs: TIMEOUT_MS, ...options });
  return Number(stdout.toString('latin1').trim());
}

/** The newest commit reachable from a revision that changed a path, taken literally; undefined when none did. */
export async function lastCommit(
  repo: Repository,
  revision: string,
  path: string,
  options: LogOptions = {},
): Promise<string | undefined> {
  const [id] = await commitIds(repo, { revisions: [revision], path, limit: 1 }, options);
  return id;
}

/** What of a query is told by flags, but for the page. */
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
