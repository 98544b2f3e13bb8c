import type { LogOptions, WithProcessSlot } from '../history/log.ts';
import type { Objects } from '../objects/objects.ts';
import { decodeText } from '../objects/text.ts';
import { requireTree, type TreeCounts, treeCounts } from './counts.ts';
import { type ListedEntry, listTreeRecursively } from './list.ts';
import { type EntryType, entryType, shownMode, type Tree, type TreeEntry } from './tree.ts';

const CLASSES: readonly EntryType[] = ['tree', 'blob', 'commit'];
// The ids of longer listings would take too much memory, and clients that page through them send the path as well.
const LISTED_IDS = 300_000;
const ID_BYTES = 20;

/**
 * The listing of everything below a tree, at any depth: all folders, then all files, then all submodules, each by the
 * bytes of its path. It is never held in full: the counts of each folder tell where a page starts, so only the folders
 * on the way to the page are read.
 */
export class TreeListing {
  readonly #objects: Objects;
  readonly #tree: string;
  readonly #prefix: string;
  readonly #slowly: WithProcessSlot;

  /** `prefix` is the path of the tree with a trailing slash, or empty. */
  constructor(objects: Objects, tree: string, prefix: string, slowly: WithProcessSlot) {
    this.#objects = objects;
    this.#tree = tree;
    this.#prefix = prefix;
    this.#slowly = slowly;
  }

  get total(): Promise<number> {
    return this.#counts(this.#tree).then((counts) => counts.tree + counts.blob + counts.commit);
  }

  /** Returns a page. It depends only on the tree, so it is cached. */
  slice(offset: number, limit: number): Promise<readonly ListedEntry[]> {
    const key = `${this.#tree} ${offset} ${limit} ${this.#prefix}`;
    return this.#objects.derived<readonly ListedEntry[]>('tree-page', key, listedBytes, () =>
      this.#slice(offset, limit),
    );
  }

  /** Returns the index of the entry at a path; -1 when missing. */
  async indexOf(path: string): Promise<number> {
    if (!path.startsWith(this.#prefix)) return -1;
    const below = path.slice(this.#prefix.length);
    const entry = await this.#objects.entryAt(this.#tree, below);
    if (!entry) return -1;
    const type = entryType(entry);
    const counts = await this.#counts(this.#tree);
    const before = CLASSES.slice(0, CLASSES.indexOf(type)).reduce((sum, other) => sum + counts[other], 0);
    return before + (await this.#rank(type, below.split('/')));
  }

  /** Returns the index of the first entry with an id; -1 when missing. */
  async firstOf(oid: string): Promise<number> {
    if ((await this.total) > LISTED_IDS) return this.#search(oid);
    const size = (bytes: Buffer) => bytes.length;
    const ids = await this.#objects.derivedSlowly('tree-ids', this.#tree, size, this.#slowly, (limits) =>
      this.#ids(limits),
    );
    const target = Buffer.from(oid, 'hex');
    let at = target.length === ID_BYTES ? ids.indexOf(target) : -1;
    while (at >= 0 && at % ID_BYTES !== 0) at = ids.indexOf(target, at + 1);
    return at < 0 ? -1 : at / ID_BYTES;
  }

  /** Whether the entry at an index is certainly the first one with its id. */
  async isFirst(oid: string, index: number): Promise<boolean> {
    return (await this.total) <= LISTED_IDS && (await this.firstOf(oid)) === index;
  }

  async #slice(offset: number, limit: number): Promise<ListedEntry[]> {
    const counts = await this.#counts(this.#tree);
    const found: ListedEntry[] = [];
    let skip = offset;
    for (const type of CLASSES) {
      if (skip < counts[type]) await this.#collect(type, this.#tree, this.#prefix, { skip, limit, found });
      skip = Math.max(0, skip - counts[type]);
    }
    return found;
  }

  async #collect(type: EntryType, oid: string, prefix: string, page: Collecting): Promise<void> {
    const tree = await requireTree(this.#objects, oid);
    for (const { place, itself } of steps(tree, type)) {
      if (page.found.length >= page.limit) return;
      if (itself && page.skip > 0) {
        page.skip -= 1;
        continue;
      }
      const entry = tree.at(place) as TreeEntry;
      if (itself) {
        page.found.push(listedEntry(entry, prefix));
        continue;
      }
      const below = (await this.#counts(entry.oid))[type];
      if (below > page.skip) await this.#collect(type, entry.oid, `${prefix}${entry.name}/`, page);
      else page.skip -= below;
    }
  }

  /** Counts the entries of a type before the existing one at a path. */
  async #rank(type: EntryType, path: readonly string[]): Promise<number> {
    let rank = 0;
    let oid = this.#tree;
    for (const [depth, name] of path.entries()) {
      const tree = await requireTree(this.#objects, oid);
      const target = tree.indexOf(name);
      const last = depth === path.length - 1;
      for (const { place, itself } of steps(tree, type)) {
        if (place === target && itself === last) break;
        rank += itself ? 1 : (await this.#counts(tree.at(place)?.oid ?? ''))[type];
      }
      oid = tree.at(target)?.oid ?? '';
    }
    return rank;
  }

  #counts(tree: string): Promise<TreeCounts> {
    return treeCounts(this.#objects, tree, this.#slowly);
  }

  /** Finds the first entry with an id by checking every entry. */
  async #search(oid: string): Promise<number> {
    const path = await this.#slowly(async (limits) => {
      let first: Buffer | undefined;
      for await (const lines of listTreeRecursively(this.#objects.repo, this.#tree, limits)) {
        for (const line of lines) {
          if (line.oid === oid && (!first || Buffer.compare(line.path, first) < 0)) first = Buffer.from(line.path);
        }
      }
      return first;
    });
    return path === undefined ? -1 : this.indexOf(this.#prefix + decodeText(path));
  }

  /** Returns the concatenated ids of all entries in listing order. */
  async #ids(limits: LogOptions): Promise<Buffer> {
    const folders: { path: Buffer; oid: string }[] = [];
    const others: Record<'blob' | 'commit', Buffer[]> = { blob: [], commit: [] };
    for await (const lines of listTreeRecursively(this.#objects.repo, this.#tree, limits)) {
      const ids = { blob: '', commit: '' };
      for (const line of lines) {
        const { type, oid } = line;
        if (type === 'tree') folders.push({ path: Buffer.from(line.path), oid });
        else ids[type] += oid;
      }
      others.blob.push(Buffer.from(ids.blob, 'hex'));
      others.commit.push(Buffer.from(ids.commit, 'hex'));
    }
    folders.sort((a, b) => Buffer.compare(a.path, b.path));
    const first = Buffer.from(folders.map(({ oid }) => oid).join(''), 'hex');
    return Buffer.concat([first, ...others.blob, ...others.commit]);
  }
}

interface Collecting {
  skip: number;
  readonly limit: number;
  readonly found: ListedEntry[];
}

/** Either an entry that belongs to the listing itself, or a folder whose contents follow at this position. */
interface Step {
  readonly place: number;
  readonly itself: boolean;
}

/** Returns the order in which the entries of a type below a tree are listed. */
function steps(tree: Tree, type: EntryType): Step[] {
  if (type === 'tree') return folderSteps(tree);
  // git sorts a folder as if its name ended in a slash, so its own order is that of the file paths.
  const found: Step[] = [];
  for (let place = 0; place < tree.size; place++) {
    const here = tree.typeAt(place);
    if (here === type || here === 'tree') found.push({ place, itself: here === type });
  }
  return found;
}

/**
 * Returns each folder twice: itself, and later its subfolders, behind siblings whose names continue with a byte below
 * the slash.
 */
function folderSteps(tree: Tree): Step[] {
  const found: (Step & { key: string })[] = [];
  for (let place = 0; place < tree.size; place++) {
    if (tree.typeAt(place) !== 'tree') continue;
    const name = tree.nameAt(place);
    found.push({ place, itself: true, key: name }, { place, itself: false, key: `${name}/` });
  }
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Returns an entry with its path. */
export function listedEntry(entry: TreeEntry, prefix: string): ListedEntry {
  return { mode: shownMode(entry), type: entryType(entry), oid: entry.oid, path: prefix + entry.name };
}

/** Estimates the memory used by a page. */
export function listedBytes(entries: readonly ListedEntry[]): number {
  return entries.reduce((sum, entry) => sum + entry.path.length + 200, 100);
}
