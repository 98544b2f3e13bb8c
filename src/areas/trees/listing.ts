import type { ListedEntry } from '../../platform/git/tree-list.ts';

const classes = { tree: 0, blob: 1, commit: 2 } as const;

const byPath = (a: ListedEntry, b: ListedEntry) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));

/** Folders, then files, then submodules; by the bytes of their paths inside each class. */
export function inOrder(entries: readonly ListedEntry[]): ListedEntry[] {
  return [...entries].sort((a, b) => classes[a.type] - classes[b.type] || byPath(a, b));
}

/** A slice of a listing that is never held whole. */
export interface Slice {
  readonly entries: readonly ListedEntry[];
  readonly total: number;
}

/**
 * Takes a slice out of a recursive listing, in the order of `inOrder`. git's own order is that of the bytes but for
 * folders, so folders are kept and sorted, while of files and submodules only the slice is.
 */
export async function sliceOf(entries: AsyncIterable<ListedEntry>, offset: number, limit: number): Promise<Slice> {
  const folders: ListedEntry[] = [];
  // How many folders there are, and so where the files begin, is known at the end only: the first `offset + limit`
  // files could all be in the slice, but of those before `offset` nothing but their number matters once it is known.
  const files = new Window(offset, limit);
  const modules = new Window(offset, limit);
  for await (const entry of entries) {
    if (entry.type === 'tree') folders.push(entry);
    else (entry.type === 'blob' ? files : modules).add(entry);
  }
  const total = folders.length + files.count + modules.count;
  const wanted = folders.sort(byPath).slice(offset, offset + limit);
  wanted.push(...files.take(offset - folders.length, limit - wanted.length));
  wanted.push(...modules.take(offset - folders.length - files.count, limit - wanted.length));
  return { entries: wanted, total };
}

/** Keeps what may be asked of a stream: anything up to the end of the slice. */
class Window {
  readonly #end: number;
  readonly #kept: ListedEntry[] = [];
  count = 0;

  constructor(offset: number, limit: number) {
    this.#end = offset + limit;
  }

  add(entry: ListedEntry): void {
    if (this.count < this.#end) this.#kept.push(entry);
    this.count += 1;
  }

  take(offset: number, limit: number): ListedEntry[] {
    const from = Math.max(0, offset);
    return limit <= 0 ? [] : this.#kept.slice(from, from + limit);
  }
}

/** What names an entry as the place where the next page starts: its id, with its path where the id may repeat. */
export function tokenOf(entry: ListedEntry, unique: boolean): string {
  return unique ? entry.oid : `${entry.oid}.${Buffer.from(entry.path).toString('base64url')}`;
}

/** Where the page after a token starts in an ordered listing; 0 for a token that names nothing here. */
export function indexAfter(entries: readonly ListedEntry[], token: string): number {
  const [oid = '', encoded] = token.split('.');
  const path = encoded === undefined ? undefined : Buffer.from(encoded, 'base64url').toString();
  return entries.findIndex((entry) => entry.oid === oid && (path === undefined || entry.path === path)) + 1;
}
