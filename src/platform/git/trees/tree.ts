import { decodeText } from '../objects/text.ts';

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

/** What an entry stands for. */
export type EntryType = 'tree' | 'blob' | 'commit';

/** The tree that holds nothing. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** A tree object whose bytes make no sense. */
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
 * A tree object: `mode SP name NUL id`, again and again. Its bytes are kept as they are, in a string of one character a
 * byte, and entries are made when they are asked for: made at once, they took five times the room, and most trees are
 * read for one name.
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

  /** How many entries it has. */
  get size(): number {
    return this.#starts.length;
  }

  /** About what it takes in memory. */
  get bytes(): number {
    return this.#bytes.length + 16 * this.#starts.length + 200;
  }

  /** All entries in git's order, made anew each time. */
  get entries(): TreeEntry[] {
    return this.#starts.map((start) => this.#entry(start));
  }

  /** The entry at a place in git's order. */
  at(index: number): TreeEntry | undefined {
    const start = this.#starts[index];
    return start === undefined ? undefined : this.#entry(start);
  }

  /** What the entry at a place stands for. */
  typeAt(index: number): EntryType {
    const start = this.#starts[index] ?? 0;
    return entryType({ mode: this.#bytes.slice(start, this.#bytes.indexOf(' ', start)) });
  }

  /** The bytes of the name at a place, one character each: such strings sort as git sorts names. */
  nameAt(index: number): string {
    const space = this.#bytes.indexOf(' ', this.#starts[index]);
    return this.#bytes.slice(space + 1, this.#bytes.indexOf('\0', space));
  }

  /** The entry of a name; one that is no UTF-8 is found by its Latin-1 reading. */
  find(name: string): TreeEntry | undefined {
    return this.at(this.indexOf(name));
  }

  /** The place of a name in git's order; -1 when there is none. */
  indexOf(name: string): number {
    if (isAscii(name)) return this.#find(name);
    const found = this.#find(Buffer.from(name).toString('latin1'));
    if (found >= 0 || /[^\0-\xff]/.test(name)) return found;
    const other = this.#find(name);
    return this.at(other)?.bytes ? other : -1;
  }

  /** Whether the entry at a place has this id, given as its bytes, one character each. */
  hasIdAt(place: number, id: string): boolean {
    const next = this.#starts[place + 1] ?? this.#bytes.length;
    return this.#bytes.startsWith(id, next - ID_BYTES);
  }

  #find(bytes: string): number {
    if (bytes.includes('\0')) return -1;
    const wanted = ` ${bytes}\0`;
    for (let at = this.#bytes.indexOf(wanted); at >= 0; at = this.#bytes.indexOf(wanted, at + 1)) {
      // The bytes of an id may read like an entry, and those of a submodule are chosen by whoever writes the tree.
      const place = this.#placeOf(at);
      if (this.#bytes.indexOf(' ', this.#starts[place]) === at) return place;
    }
    return -1;
  }

  /** The place of the entry that a byte belongs to. */
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
    // Copies: a slice of a string keeps the whole of it, and one entry may be kept for longer than its tree.
    const bytes = Buffer.from(this.#bytes.slice(space + 1, nul + 1 + ID_BYTES), 'latin1');
    const length = nul - space - 1;
    const oid = bytes.toString('hex', length + 1);
    const name = bytes.subarray(0, length);
    const text = decodeText(name);
    // Of a name read as Latin-1 the text alone would give other bytes back.
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
    if (nul < 0 || nul + 1 + ID_BYTES > bytes.length) throw new BrokenTreeError(`tree ${oid} is cut off`);
    starts.push(at);
    at = nul + 1 + ID_BYTES;
  }
  return starts;
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
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

const KIND = 0o170000;
const FOLDER = 0o040000;
const FILE = 0o100000;
const LINK = 0o120000;

/** Whether an entry is a folder, a file or link, or a submodule: by the kind of its mode, as git tells. */
export function entryType({ mode }: Pick<TreeEntry, 'mode'>): EntryType {
  if (mode === '100644') return 'blob';
  const kind = Number.parseInt(mode, 8) & KIND;
  if (kind === FOLDER) return 'tree';
  return kind === FILE || kind === LINK ? 'blob' : 'commit';
}

/** The mode that git shows, whatever an old tool wrote. */
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
