import { decodeText } from './text.ts';

/** The six-digit modes that git writes. */
export type TreeMode = '040000' | '100644' | '100755' | '120000' | '160000';

/** One line of a tree. */
export interface TreeEntry {
  /** Six digits; old tools also wrote `100664` and the like, which are kept. */
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
  /** The name's bytes where they are not valid UTF-8; `name` is then their Latin-1 reading. */
  readonly bytes?: Buffer;
}

/** A parsed tree object. */
export interface Tree {
  readonly oid: string;
  readonly entries: readonly TreeEntry[];
}

/** What an entry stands for. */
export type EntryType = 'tree' | 'blob' | 'commit';

/** The tree that holds nothing. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** A tree object whose bytes make no sense. */
export class BrokenTreeError extends Error {
  override readonly name = 'BrokenTreeError';
}

const SPACE = 0x20;
const ID_BYTES = 20;
const NUL = Buffer.from([0]);
const SLASH = Buffer.from('/');
const indexes = new WeakMap<Tree, ReadonlyMap<string, TreeEntry>>();

/** Reads a tree object's bytes: `mode SP name NUL id`, again and again. */
export function parseTree(oid: string, raw: Buffer): Tree {
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < raw.length) {
    const space = raw.indexOf(SPACE, at);
    const nul = raw.indexOf(0, space + 1);
    if (space < 0 || nul < 0 || nul + 1 + ID_BYTES > raw.length) {
      throw new BrokenTreeError(`tree ${oid} is cut off`);
    }
    entries.push(
      entry(
        raw.toString('latin1', at, space),
        raw.subarray(space + 1, nul),
        raw.toString('hex', nul + 1, nul + 1 + ID_BYTES),
      ),
    );
    at = nul + 1 + ID_BYTES;
  }
  return { oid, entries };
}

/** The bytes of a tree object, its entries in git's order. */
export function formatTree(entries: readonly TreeEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const { entry, name } of sortEntries(entries)) {
    // Leading zeros are for people: the object holds `40000`.
    parts.push(Buffer.from(`${entry.mode.replace(/^0+/, '')} `, 'latin1'), name, NUL, Buffer.from(entry.oid, 'hex'));
  }
  return Buffer.concat(parts);
}

/** Looks a name up in one tree. */
export function findEntry(tree: Tree, name: string): TreeEntry | undefined {
  if (tree.entries.length <= 16) return tree.entries.find((candidate) => candidate.name === name);
  let index = indexes.get(tree);
  if (!index) {
    index = new Map(tree.entries.map((candidate) => [candidate.name, candidate]));
    indexes.set(tree, index);
  }
  return index.get(name);
}

/** Whether an entry is a folder, a file or link, or a submodule. */
export function entryType(entry: Pick<TreeEntry, 'mode'>): EntryType {
  if (entry.mode === '040000') return 'tree';
  return entry.mode === '160000' ? 'commit' : 'blob';
}

function entry(mode: string, bytes: Buffer, oid: string): TreeEntry {
  const name = decodeText(bytes);
  const padded = mode.padStart(6, '0');
  // Of a name read as Latin-1 the text alone would give other bytes back.
  return Buffer.byteLength(name) === bytes.length
    ? { mode: padded, name, oid }
    : { mode: padded, name, oid, bytes: Buffer.from(bytes) };
}

function sortEntries(entries: readonly TreeEntry[]): { entry: TreeEntry; name: Buffer; key: Buffer }[] {
  const keyed = entries.map((item) => {
    const name = item.bytes ?? Buffer.from(item.name);
    // git compares folders as if their names ended in a slash.
    return { entry: item, name, key: item.mode === '040000' ? Buffer.concat([name, SLASH]) : name };
  });
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key));
}
