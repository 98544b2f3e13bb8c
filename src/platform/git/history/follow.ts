import { isUtf8 } from 'node:buffer';
import type { GitCommand, Repository } from '../process/command.ts';
import { gitLines } from '../process/output.ts';
import { type LogOptions, type LogQuery, logIds, queryFlags, TIMEOUT_MS } from './log.ts';

/** A query for the history of one file under all its names. */
export interface FollowQuery extends LogQuery {
  readonly path: string;
}

// Finding a former name takes a process. A file that was added more often than this is left to git.
const MAX_ADDITIONS = 4;
// Prints each commit with its parents and its raw changes.
const TOUCHED = ['--raw', '--no-abbrev', '-z', '--format=%x01%H %P'];

/**
 * Returns the newest ids of `git log --follow`, at most `most`. To follow renames, git compares every commit of the
 * history with its parents. Here, the commits that touch a path are found with the changed-path filters of the
 * commit-graph, and git is asked about renames only where the path was added.
 *
 * As in git, merges are not listed and both sides of a merge are followed, and a former name applies to all commits
 * after the rename in log order, on whichever branch they are.
 */
export async function followedIds(
  repo: Repository,
  query: FollowQuery,
  maxCount: number,
  options: LogOptions = {},
): Promise<string[]> {
  const limits = { timeoutMs: TIMEOUT_MS, ...options };
  const viaGit = () => Array.fromAsync(logIds(repo, { ...query, follow: true, limit: maxCount }, limits));
  // A first-parent log lists merges as well.
  if (query.firstParent || query.path.endsWith('/')) return viaGit();
  const found: string[] = [];
  let part: Part = { paths: [query.path], behind: undefined };
  for (let additions = 0; ; ) {
    let next: Part | undefined;
    for (const commit of await touching(repo, query, part, maxCount - found.length, limits)) {
      found.push(commit.id);
      if (found.length === maxCount) return found;
      if (!commit.begins) continue;
      if (++additions > MAX_ADDITIONS) return viaGit();
      const former = await formerName(repo, commit.id, part.paths[0], limits);
      if (former === null) continue;
      // A name that is not UTF-8 cannot be passed to git.
      if (!isUtf8(former)) return viaGit();
      next = { paths: [former.toString(), part.paths[0]], behind: commit.id };
      break;
    }
    if (!next) return found;
    part = next;
  }
}

/** The part of a history in which the file had one name. */
interface Part {
  /** That name and the later one, which is needed to find the commit of the rename again. */
  readonly paths: readonly [string, string?];
  /** The commit of the rename; only commits after it in the log count. */
  readonly behind: string | undefined;
}

interface Touch {
  readonly id: string;
  /** The path was added, possibly by a rename. */
  readonly begins: boolean;
}

async function touching(
  repo: Repository,
  query: FollowQuery,
  { paths, behind }: Part,
  maxCount: number,
  limits: LogOptions,
): Promise<Touch[]> {
  const flags = [...TOUCHED, '--full-history', '--no-merges', '--no-renames', ...queryFlags(query)];
  if (behind === undefined) flags.push(`--max-count=${maxCount}`);
  const command: GitCommand = {
    name: 'log',
    flags,
    args: query.revisions ?? [],
    paths: paths.filter((path) => path !== undefined),
  };
  const found: Touch[] = [];
  let counts = behind === undefined;
  for await (const { id, parents, changes } of touched(repo, command, limits)) {
    const own = changes.filter(({ path }) => isAt(path, Buffer.from(paths[0])));
    if (counts && own.length > 0) {
      found.push({ id, begins: parents > 0 && own.some(({ status }) => status === 'A') });
      if (found.length === maxCount) return found;
    }
    if (id === behind) counts = true;
  }
  return found;
}

/** Returns the name a commit renamed or copied the file from; null when the commit created it. */
async function formerName(repo: Repository, commit: string, path: string, limits: LogOptions): Promise<Buffer | null> {
  const flags = [...TOUCHED, '--follow', '--max-count=1'];
  const command: GitCommand = { name: 'log', flags, args: [commit], paths: [path] };
  for await (const { changes } of touched(repo, command, limits)) {
    const moved = changes.find(({ status }) => status.startsWith('R') || status.startsWith('C'));
    if (moved) return moved.path;
  }
  return null;
}

interface Touched {
  readonly id: string;
  readonly parents: number;
  /** Renames are listed under the old name. */
  readonly changes: { readonly status: string; readonly path: Buffer }[];
}

async function* touched(repo: Repository, command: GitCommand, limits: LogOptions): AsyncGenerator<Touched, void> {
  let commit: Touched | undefined;
  let status = '';
  let names = 0;
  for await (const part of gitLines(repo, command, limits, 0)) {
    if (names > 0) {
      // `R100` and similar are followed by two names.
      if (names === 2 || !/^[RC]/.test(status)) commit?.changes.push({ status, path: Buffer.from(part) });
      names -= 1;
      continue;
    }
    const text = part.toString('latin1').trimStart();
    if (text.startsWith(':')) {
      status = text.slice(text.lastIndexOf(' ') + 1);
      names = /^[RC]/.test(status) ? 2 : 1;
    } else if (text.startsWith('\x01')) {
      if (commit) yield commit;
      const [id = '', ...parents] = text.slice(1).trim().split(' ');
      commit = { id, parents: parents.length, changes: [] };
    }
  }
  if (commit) yield commit;
}

/** Whether a path equals another or is below it. */
function isAt(path: Buffer, other: Buffer): boolean {
  if (path.length < other.length || !path.subarray(0, other.length).equals(other)) return false;
  return path.length === other.length || path[other.length] === 0x2f;
}
