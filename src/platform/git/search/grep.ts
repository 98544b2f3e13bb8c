import type { GitOptions, Repository } from '../process/command.ts';
import { gitLines } from '../process/output.ts';

/** Consecutive lines of a file around a match. */
export interface Passage {
  readonly path: string;
  /** Number of the first line, counted from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

const longestLine = 2000;
/** A path and the part of a line that is shown. */
const longestOutput = 16 * 1024;
/** Splits longer passages, for files in which every line matches. */
const longestPassage = 500;

/**
 * Yields the passages of a commit's text files that contain a text, ignoring case, in file order. Leaving the loop
 * stops the search.
 */
export async function* grep(
  repo: Repository,
  commit: string,
  text: string,
  { around = 2, ...options }: Pick<GitOptions, 'signal' | 'timeoutMs'> & { readonly around?: number } = {},
): AsyncGenerator<Passage, void> {
  const flags = ['-n', '-z', '-I', '-i', '-F', '--full-name', `-C${around}`, `-e${text}`];
  const command = { name: 'grep', flags, args: [commit] } as const;
  let open: { path: string; line: number; lines: string[] } | undefined;
  let last = 0;
  const limits = { timeoutMs: 15_000, okCodes: [0, 1], ...options };
  for await (const raw of gitLines(repo, command, limits, undefined, longestOutput)) {
    const read = readLine(raw.toString('utf8', 0, longestOutput), commit.length + 1);
    // Without context lines, git prints no separator, so passages are separated by their line numbers.
    const follows = open && read?.path === open.path && read.line === last + 1;
    if (open && !follows) {
      yield open;
      open = undefined;
    }
    if (!read) continue;
    last = read.line;
    if (open && open.lines.length < longestPassage) open.lines.push(read.text);
    else open ??= { path: read.path, line: read.line, lines: [read.text] };
  }
  if (open) yield open;
}

/**
 * Parses `<commit>:<path> NUL <line>:<text>`, with a dash for context lines; undefined for the separator of two
 * passages.
 */
function readLine(raw: string, skip: number): { path: string; line: number; text: string } | undefined {
  const end = raw.indexOf('\0');
  const [, line, text = ''] = end < 0 ? [] : (/^(\d+)[:\-\0](.*)$/s.exec(raw.slice(end + 1)) ?? []);
  return line === undefined
    ? undefined
    : { path: raw.slice(skip, end), line: Number(line), text: text.slice(0, longestLine) };
}
