import { isUtf8 } from 'node:buffer';
import type { GitCommand, Repository } from '../process/command.ts';
import { gitLines } from '../process/output.ts';
import { type LogOptions, type LogQuery, logIds, queryFlags, TIMEOUT_MS } from './log.ts';

/** A query for the history of one file, under all the names that it had. */
export interface FollowQuery extends LogQuery {
  readonly path: string;
}

// To learn where a name came from takes a process. A file that came and went more often is left to git.
const MOST_BEGINNINGS = 4;
// The commits alone, each with its parents, and what it did to the paths.
const TOUCHED = ['--raw', '--no-abbrev', '-z', '--format=%x01%H %P'];

/**
 * The newest ids of `git log --follow`, as many as asked for. In order to follow, git compares every commit of the history
 * with its parents; here the commits that touched a path are found among what the commit-graph knows of changed paths,
 * and git is asked about renames only where the path begins.
 *
 * As in git, merges are not shown and neither side of one is left out, and a former name counts for all commits that
 * come after the rename in the order of the log, on whichever branch they are.
 */
export async function followedIds(
  repo: Repository,
  query: FollowQuery,
  most: number,
  options: LogOptions = {},
): Promise<string[]> {
  const limits = { timeoutMs: TIMEOUT_MS, ...options };
  const left = () => Array.fromAsync(logIds(repo, { ...query, follow: true, limit: most }, limits));
  // A log of first parents does show merges.
  if (query.firstParent || query.path.endsWith('/')) return left();
  const found: string[] = [];
  let part: Part = { paths: [query.path], behind: undefined };
  for (let beginnings = 0; ; ) {
    let next: Part | undefined;
    for (const commit of await touching(repo, query, part, most - found.length, limits)) {
      found.push(commit.id);
      if (found.length === most) return found;
      if (!commit.begins) continue;
      if (++beginnings > MOST_BEGINNINGS) return left();
      const former = await formerName(repo, commit.id, part.paths[0], limits);
      if (former === null) continue;
      // What is no UTF-8 cannot be named to git.
      if (!isUtf8(former)) return left();
      next = { paths: [former.toString(), part.paths[0]], behind: commit.id };
      break;
    }
    if (!next) return found;
    part = next;
  }
}

/** The part of a history in which the file had one name. */
interface Part {
  /** That name, and the one after it: by it the commit of the rename is found again. */
  readonly paths: readonly [string, string?];
  /** The commit of the rename; only what comes after it in the log counts. */
  readonly behind: string | undefined;
}

interface Touch {
  readonly id: string;
  /** Something at the path came into being, perhaps from under another name. */
  readonly begins: boolean;
}

async function touching(
  repo: Repository,
  query: FollowQuery,
  { paths, behind }: Part,
  most: number,
  limits: LogOptions,
): Promise<Touch[]> {
  const flags = [...TOUCHED, '--full-history', '--no-merges', '--no-renames', ...queryFlags(query)];
  if (behind === undefined) flags.push(`--max-count=${most}`);
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
      if (found.length === most) return found;
    }
    if (id === behind) counts = true;
  }
  return found;
}

/** The name from which a commit took a file; null when it made it. */
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
  /** A rename is listed by the name before. */
  readonly changes: { readonly status: string; readonly path: Buffer }[];
}

async function* touched(repo: Repository, command: GitCommand, limits: LogOptions): AsyncGenerator<Touched, void> {
  let commit: Touched | undefined;
  let status = '';
  let names = 0;
  for await (const part of gitLines(repo, command, limits, 0)) {
    if (names > 0) {
      // Behind `R100` and the like stand two names.
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

/** Whether a path is another, or lies below it. */
function isAt(path: Buffer, other: Buffer): boolean {
  if (path.length < other.length || !path.subarray(0, other.length).equals(other)) return false;
  return path.length === other.length || path[other.length] === 0x2f;
}
