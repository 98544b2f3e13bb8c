import { decodeText } from '../objects/text.ts';
import type { GitOptions, Repository } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import { gitLines } from '../process/output.ts';

/** Lines to explain, counted from 1, both ends included. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** Consecutive lines that one commit wrote; lines have no newline. */
export interface BlameRange {
  readonly commit: string;
  readonly lines: string[];
}

/** What a blame answers; it depends only on these values, so results may be cached by `blameKey`. */
export interface BlameQuery {
  /** Full commit id, so that the result can never change. */
  readonly commit: string;
  readonly path: string;
  readonly range?: LineRange;
}

/** The size of the file is known by then: this bounds histories, not files. */
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const TAB = 9;
const GROUP = /^([0-9a-f]{40,64}) \d+ \d+/;

/** The commits that wrote the lines of a file; empty when the range lies beyond the file. */
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
    // git refuses a range that starts behind the last line; to callers that is simply nothing.
    if (range && error instanceof GitError && /^fatal: file .* has only \d+ lines?$/ms.test(error.stderr)) return [];
    throw error;
  }
  return ranges.result;
}

/** A cache key: commit, path and range name one result for ever. */
export function blameKey(query: BlameQuery): string {
  return `${query.commit}:${query.range?.start ?? ''}-${query.range?.end ?? ''}:${query.path}`;
}

/** Collects the lines of `--porcelain` output: a header per line, its facts, then the line behind a tab. */
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
