import { decodeText } from '../objects/text.ts';
import type { GitOptions, Repository } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import { gitLines } from '../process/output.ts';

/** A range of lines, counted from 1, inclusive. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** Consecutive lines last changed by the same commit; lines have no newline. */
export interface BlameRange {
  readonly commit: string;
  readonly lines: string[];
}

/** A blame request. The result depends only on these values, so it can be cached under `blameKey`. */
export interface BlameQuery {
  /** Full commit id, so that the result can never change. */
  readonly commit: string;
  readonly path: string;
  readonly range?: LineRange;
}

/** The file size is checked before, so this limits the length of the history, not of the file. */
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const TAB = 9;
const GROUP = /^([0-9a-f]{40,64}) \d+ \d+/;

/**
 * Returns the commits that last changed the lines of a file; empty when the range starts beyond the end of the file.
 */
export async function blame(
  repo: Repository,
  query: BlameQuery,
  options: Pick<GitOptions, 'signal' | 'timeoutMs' | 'maxOutputBytes'> = {},
): Promise<BlameRange[]> {
  const { range } = query;
  const command = {
    name: 'blame',
    flags: ['--porcelain', ...(range ? [`-L${range.start},${range.end}`] : [])],
    args: [query.commit],
    paths: [query.path],
  } as const;
  const limits = { timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES, ...options };
  const ranges = new BlameRanges();
  try {
    for await (const line of gitLines(repo, command, limits)) ranges.push(line);
  } catch (error) {
    // git fails for a range that starts behind the last line; callers get an empty result instead.
    if (range && error instanceof GitError && /^fatal: file .* has only \d+ lines?$/ms.test(error.stderr)) return [];
    throw error;
  }
  return ranges.result;
}

/** Cache key: commit, path and range always identify the same result. */
export function blameKey(query: BlameQuery): string {
  return `${query.commit}:${query.range?.start ?? ''}-${query.range?.end ?? ''}:${query.path}`;
}

/** Parses `--porcelain` output: for each line a header, its attributes, then the line behind a tab. */
export class BlameRanges {
  readonly result: BlameRange[] = [];
  #commit = '';

  push(line: Buffer): void {
    if (line[0] !== TAB) {
      this.#commit = GROUP.exec(line.toString('latin1', 0, 90))?.[1] ?? this.#commit;
      return;
    }
    const text = decodeText(line.subarray(1));
    const last = this.result.at(-1);
    if (last?.commit === this.#commit) last.lines.push(text);
    else this.result.push({ commit: this.#commit, lines: [text] });
  }
}
