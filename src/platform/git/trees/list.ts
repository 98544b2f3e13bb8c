import type { LogOptions } from '../history/log.ts';
import { decodeText } from '../objects/text.ts';
import type { GitCommand, Repository } from '../process/command.ts';
import { gitOutput } from '../process/output.ts';
import type { EntryType } from './tree.ts';

/** An entry of a listing, with its path from the root of the repository. */
export interface ListedEntry {
  readonly mode: string;
  readonly type: EntryType;
  readonly oid: string;
  readonly path: string;
}

/** One unparsed line of `git ls-tree`. */
export class ListedLine {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  // `mode SP type SP id TAB path`: the mode has six digits, and the first letter of the type identifies it.
  get type(): EntryType {
    const letter = this.#bytes[this.#start + 7];
    if (letter === LETTERS.tree) return 'tree';
    return letter === LETTERS.commit ? 'commit' : 'blob';
  }

  get mode(): string {
    return this.#bytes.toString('latin1', this.#start, this.#start + 6);
  }

  get oid(): string {
    const tab = this.#tab;
    return this.#bytes.toString('latin1', tab - 40, tab);
  }

  /** The bytes of the path. */
  get path(): Buffer {
    return this.#bytes.subarray(this.#tab + 1, this.#end);
  }

  /** The number of folders above the entry. */
  get depth(): number {
    let depth = 0;
    for (let at = this.#bytes.indexOf(SLASH, this.#tab); at >= 0 && at < this.#end; ) {
      depth += 1;
      at = this.#bytes.indexOf(SLASH, at + 1);
    }
    return depth;
  }

  get #tab(): number {
    return this.#bytes.indexOf(TAB, this.#start);
  }
}

const TAB = 9;
const SLASH = 0x2f;
const LETTERS = { tree: 0x74, commit: 0x63 };

/** Yields all entries below a tree at any depth in batches, folders before their contents, in git's order. */
export function listTreeRecursively(
  repo: Repository,
  tree: string,
  limits: LogOptions = {},
): AsyncGenerator<Iterable<ListedLine>, void> {
  return lines(repo, { name: 'ls-tree', flags: ['-r', '-t', '-z', '--full-tree'], args: [tree] }, limits);
}

/** Yields the entries of one folder of any size in batches. */
export function listFolderEntries(
  repo: Repository,
  tree: string,
  limits: LogOptions = {},
): AsyncGenerator<Iterable<ListedLine>, void> {
  return lines(repo, { name: 'ls-tree', flags: ['-z', '--full-tree'], args: [tree] }, limits);
}

async function* lines(
  repo: Repository,
  command: GitCommand,
  limits: LogOptions,
): AsyncGenerator<Iterable<ListedLine>, void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of gitOutput(repo, command, limits)) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = bytes.lastIndexOf(0) + 1;
    yield linesOf(bytes, end);
    rest = Buffer.from(bytes.subarray(end));
  }
}

function* linesOf(bytes: Buffer, end: number): Generator<ListedLine> {
  let start = 0;
  while (start < end) {
    const next = bytes.indexOf(0, start);
    yield new ListedLine(bytes, start, next);
    start = next + 1;
  }
}

/**
 * Returns the complete listing below a tree: all folders, then all files, then all submodules, each by the bytes of its
 * path.
 */
export async function wholeListing(
  repo: Repository,
  tree: string,
  prefix: string,
  limits: LogOptions = {},
): Promise<ListedEntry[]> {
  const folders: { path: Buffer; entry: ListedEntry }[] = [];
  const others: Record<'blob' | 'commit', ListedEntry[]> = { blob: [], commit: [] };
  for await (const lines of listTreeRecursively(repo, tree, limits)) {
    for (const line of lines) {
      const { type, path } = line;
      const entry = { mode: line.mode, type, oid: line.oid, path: prefix + decodeText(path) };
      if (type === 'tree') folders.push({ path: Buffer.from(path), entry });
      else others[type].push(entry);
    }
  }
  // git sorts by bytes, except that folders are compared as if their names ended in a slash.
  folders.sort((a, b) => Buffer.compare(a.path, b.path));
  return folders.map(({ entry }) => entry).concat(others.blob, others.commit);
}
