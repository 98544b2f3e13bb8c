import { type DiffStats, parseShortStat } from '../diff/diff.ts';
import { decodeText } from '../objects/text.ts';
import type { Repository } from '../process/command.ts';
import { GitArgumentError } from '../process/errors.ts';
import { gitLines } from '../process/output.ts';
import { isObjectId } from '../refs/refname.ts';
import type { LogOptions } from './log.ts';

const TIMEOUT_MS = 30_000;

/** Returns the added and removed lines of many commits against their first parents, with one git process. */
export async function commitStats(
  repo: Repository,
  ids: readonly string[],
  options: LogOptions = {},
): Promise<Map<string, DiffStats>> {
  const stats = new Map<string, DiffStats>(ids.map((id) => [id, { files: 0, additions: 0, deletions: 0 }]));
  if (!ids.every(isObjectId)) throw new GitArgumentError('not a commit id');
  if (ids.length === 0) return stats;
  const command = {
    name: 'diff-tree',
    flags: ['--stdin', '-r', '-M', '-l1000', '--root', '--no-ext-diff', '--diff-merges=first-parent', '--shortstat'],
  } as const;
  const stdin = ids.map((id) => `${id}\n`).join('');
  let current = '';
  for await (const bytes of gitLines(repo, command, { timeoutMs: TIMEOUT_MS, ...options, stdin })) {
    const line = bytes.toString('latin1');
    if (isObjectId(line)) current = line;
    else if (line !== '') stats.set(current, parseShortStat(line));
  }
  return stats;
}

/** An author address with its number of commits. */
export interface Contributor {
  readonly name: string;
  readonly email: string;
  readonly commits: number;
}

// Maximum number of commits read.
const CONTRIBUTOR_COMMITS = 2000;

/** Lists the authors of the newest 2,000 non-merge commits, in the order in which their addresses first appear. */
export async function contributors(
  repo: Repository,
  revision: string,
  options: LogOptions = {},
): Promise<Contributor[]> {
  const command = {
    name: 'log',
    flags: ['--no-merges', `--max-count=${CONTRIBUTOR_COMMITS}`, '--format=%ae%x00%an', '--no-patch', '--no-mailmap'],
    args: [revision],
  } as const;
  const authors: { email: string; name: string }[] = [];
  for await (const line of gitLines(repo, command, { timeoutMs: TIMEOUT_MS, ...options })) {
    const nul = line.indexOf(0);
    authors.push({ email: decodeText(line.subarray(0, nul)), name: decodeText(line.subarray(nul + 1)) });
  }
  return groupAuthors(authors);
}

/** Groups authors, newest first, by exact address and keeps the newest name. */
export function groupAuthors(authors: Iterable<{ readonly email: string; readonly name: string }>): Contributor[] {
  const byEmail = new Map<string, { name: string; email: string; commits: number }>();
  for (const { email, name } of authors) {
    const known = byEmail.get(email);
    if (known) known.commits++;
    else byEmail.set(email, { name, email, commits: 1 });
  }
  return [...byEmail.values()];
}
