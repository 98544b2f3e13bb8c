import { decodeText } from '../objects/text.ts';

/** The six-digit modes that git writes. */
export type TreeMode = '040000' | '100644' | '100755' | '120000' | '160000';

/** One entry of a tree. */
export interface TreeEntry {
  /** Six digits; non-standard modes of old tools, such as `100664`, are preserved. */
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
  /** The bytes of a name that is not valid UTF-8; `name` is then decoded as Latin-1. */
  readonly bytes?: Buffer;
}

/** The type of object an entry refers to. */
export type EntryType = 'tree' | 'blob' | 'commit';

/** The id of the empty tree. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Thrown for a malformed tree object. */
export class BrokenTreeError extends Error {
  override readonly name = 'BrokenTreeError';
}

const ID_BYTES = 20;
const NUL = Buffer.from([0]);
const SLASH = Buffer.from('/');
const MODES = new Map(
  ['40000', '100644', '100755', '120000', '160000'].map((written) => [written, written.padStart(6, '0')]),
);

/**
 * A tree object: a sequence of `mode SP name NUL id`. Its bytes are kept in a string with one character per byte, and
 * entries are created on demand: creating all of them took five times the memory, and most trees are read for a single
 * name.
 */
export class Tree {
  readonly oid: string;
  readonly #bytes: string;
  readonly #starts: readonly number[];

  constructor(oid: string, raw: Buffer) {
    this.oid = oid;
    this.#bytes = raw.toString('latin1');
    this.#starts = startsOf(oid, this.#bytes);
  }

  /** The number of entries. */
  get size(): number {
    return this.#starts.length;
  }

  /** The approximate memory size. */
  get bytes(): number {
    return this.#bytes.length + 16 * this.#starts.length + 200;
  }

  /** All entries in git's order; created on every access. */
  get entries(): TreeEntry[] {
    return this.#starts.map((start) => this.#entry(start));
  }

  /** Returns the entry at an index in git's order. */
  at(index: number): TreeEntry | undefined {
    const start = this.#starts[index];
    return start === undefined ? undefined : this.#entry(start);
  }

  /** Returns the type of the entry at an index. */
  typeAt(index: number): EntryType {
    const start = this.#starts[index] ?? 0;
    return entryType({ mode: this.#bytes.slice(start, this.#bytes.indexOf(' ', start)) });
  }

  /** Returns the bytes of the name at an index, one character each: such strings sort as git sorts names. */
  nameAt(index: number): string {
    const space = this.#bytes.indexOf(' ', this.#starts[index]);
    return this.#bytes.slice(space + 1, this.#bytes.indexOf('\0', space));
  }

  /** Returns an entry by name; a name that is not UTF-8 is found by its Latin-1 decoding. */
  find(name: string): TreeEntry | undefined {
    return this.at(this.indexOf(name));
  }

  /** Returns the index of a name in git's order; -1 when missing. */
  indexOf(name: string): number {
    if (isAscii(name)) return this.#find(name);
    const found = this.#find(Buffer.from(name).toString('latin1'));
    if (found >= 0 || /[^\0-\xff]/.test(name)) return found;
    const other = this.#find(name);
    return this.at(other)?.bytes ? other : -1;
  }

  /** Whether the entry at an index has this id, given as one character per byte. */
  hasIdAt(place: number, id: string): boolean {
    const next = this.#starts[place + 1] ?? this.#bytes.length;
    return this.#bytes.startsWith(id, next - ID_BYTES);
  }

  #find(bytes: string): number {
    if (bytes.includes('\0')) return -1;
    const needle = ` ${bytes}\0`;
    for (let at = this.#bytes.indexOf(needle); at >= 0; at = this.#bytes.indexOf(needle, at + 1)) {
      // The bytes of an id can look like an entry, and those of a submodule are chosen by the author of the tree.
      const place = this.#placeOf(at);
      if (this.#bytes.indexOf(' ', this.#starts[place]) === at) return place;
    }
    return -1;
  }

  /** Returns the index of the entry that contains a byte position. */
  #placeOf(position: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #entry(start: number): TreeEntry {
    const space = this.#bytes.indexOf(' ', start);
    const nul = this.#bytes.indexOf('\0', space);
    const written = this.#bytes.slice(start, space);
    const mode = MODES.get(written) ?? written.padStart(6, '0');
    // Copied, because a slice retains the whole string, and an entry may outlive its tree.
    const bytes = Buffer.from(this.#bytes.slice(space + 1, nul + 1 + ID_BYTES), 'latin1');
    const length = nul - space - 1;
    const oid = bytes.toString('hex', length + 1);
    const name = bytes.subarray(0, length);
    const text = decodeText(name);
    // The text of a name decoded as Latin-1 would encode to other bytes.
    return Buffer.byteLength(text) === length
      ? { mode, name: text, oid }
      : { mode, name: text, oid, bytes: Buffer.from(name) };
  }
}

function startsOf(oid: string, bytes: string): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(' ', at);
    const nul = space < 0 ? -1 : bytes.indexOf('\0', space + 1);
    if (nul < 0 || nul + 1 + ID_BYTES > bytes.length) throw new BrokenTreeError(`tree ${oid} is truncated`);
    starts.push(at);
    at = nul + 1 + ID_BYTES;
  }
  return starts;
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** Formats a tree object with its entries in git's order. */
export function formatTree(entries: readonly TreeEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const { entry, name } of sortEntries(entries)) {
    // Leading zeros are for display only: the object contains `40000`.
    parts.push(Buffer.from(`${entry.mode.replace(/^0+/, '')} `, 'latin1'), name, NUL, Buffer.from(entry.oid, 'hex'));
  }
  return Buffer.concat(parts);
}

const KIND = 0o170000;
const FOLDER = 0o040000;
const FILE = 0o100000;
const LINK = 0o120000;

/** Returns the entry type from the file type bits of the mode, as git does. */
export function entryType({ mode }: Pick<TreeEntry, 'mode'>): EntryType {
  if (mode === '100644') return 'blob';
  const kind = Number.parseInt(mode, 8) & KIND;
  if (kind === FOLDER) return 'tree';
  return kind === FILE || kind === LINK ? 'blob' : 'commit';
}

/** Returns the canonical mode that git displays, whatever an old tool wrote. */
export function shownMode({ mode }: Pick<TreeEntry, 'mode'>): TreeMode {
  const bits = Number.parseInt(mode, 8);
  const kind = bits & KIND;
  if (kind === FILE) return bits & 0o100 ? '100755' : '100644';
  if (kind === FOLDER) return '040000';
  return kind === LINK ? '120000' : '160000';
}

function sortEntries(entries: readonly TreeEntry[]): { entry: TreeEntry; name: Buffer; key: Buffer }[] {
  const keyed = entries.map((item) => {
    const name = item.bytes ?? Buffer.from(item.name);
    // git compares folders as if their names ended in a slash.
    return { entry: item, name, key: item.mode === '040000' ? Buffer.concat([name, SLASH]) : name };
  });
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key));
}
