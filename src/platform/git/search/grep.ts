import type { GitOptions, Repository } from '../process/command.ts';
import { gitLines } from '../process/output.ts';

/** A part of a file that holds what was looked for, with the lines around it. */
export interface Passage {
  readonly path: string;
  /** Of its first line, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

const longestLine = 2000;
/** A path, and as much of a line as is shown. */
const longestOutput = 16 * 1024;
/** A file of which every line holds the text is one passage. */
const longestPassage = 500;

/**
 * The passages of a commit's text files that hold a text, in any case, in the order of the files. Leaving the loop ends
 * the search.
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
    // Without lines around them, passages are not parted by anything but their numbers.
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

/** `<commit>:<path> NUL <line>:<text>`, with a dash for the lines around; undefined for what parts two passages. */
function readLine(raw: string, skip: number): { path: string; line: number; text: string } | undefined {
  const end = raw.indexOf('\0');
  const [, line, text = ''] = end < 0 ? [] : (/^(\d+)[:\-\0](.*)$/s.exec(raw.slice(end + 1)) ?? []);
  return line === undefined
    ? undefined
    : { path: raw.slice(skip, end), line: Number(line), text: text.slice(0, longestLine) };
}
