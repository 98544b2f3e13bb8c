import type { Objects } from '../objects/objects.ts';
import type { ListedEntry } from './list.ts';
import { listedBytes, listedEntry } from './page.ts';
import type { EntryType, Tree, TreeEntry } from './tree.ts';

// As immutable as the tree, and collected together with it.
const orders = new WeakMap<Tree, readonly number[]>();

/**
 * The entries of one folder in listing order: folders, then files, then submodules, each by the bytes of their names.
 */
export class FolderListing {
  readonly #objects: Objects;
  readonly #tree: Tree;
  readonly #prefix: string;

  /** `prefix` is the path of the tree with a trailing slash, or empty. */
  constructor(objects: Objects, tree: Tree, prefix: string) {
    this.#objects = objects;
    this.#tree = tree;
    this.#prefix = prefix;
  }

  get total(): number {
    return this.#tree.size;
  }

  /** Returns a page. It depends only on the tree, so it is cached. */
  slice(offset: number, limit: number): Promise<readonly ListedEntry[]> {
    const key = `${this.#tree.oid} ${offset} ${limit} ${this.#prefix}`;
    return this.#objects.derived<readonly ListedEntry[]>('folder-page', key, listedBytes, async () => {
      const places = orderOf(this.#tree).slice(offset, offset + limit);
      return places.map((place) => listedEntry(this.#tree.at(place) as TreeEntry, this.#prefix));
    });
  }

  /** Returns the index of the entry at a path; -1 when missing. */
  indexOf(path: string): number {
    if (!path.startsWith(this.#prefix)) return -1;
    const place = this.#tree.indexOf(path.slice(this.#prefix.length));
    return place < 0 ? -1 : orderOf(this.#tree).indexOf(place);
  }

  /** Returns the index of the first entry with an id; -1 when missing. */
  firstOf(oid: string): number {
    const id = Buffer.from(oid, 'hex').toString('latin1');
    return orderOf(this.#tree).findIndex((place) => this.#tree.hasIdAt(place, id));
  }

  /** Whether the entry at an index is the first one with its id. */
  isFirst(oid: string, index: number): boolean {
    return this.firstOf(oid) === index;
  }
}

function orderOf(tree: Tree): readonly number[] {
  const known = orders.get(tree);
  if (known) return known;
  const places: Record<EntryType, number[]> = { tree: [], blob: [], commit: [] };
  for (let place = 0; place < tree.size; place++) places[tree.typeAt(place)].push(place);
  // Files are already in order; folders are not, because git sorts them as if their names ended in a slash.
  const names = new Map(places.tree.map((place) => [place, tree.nameAt(place)]));
  places.tree.sort((a, b) => ((names.get(a) ?? '') < (names.get(b) ?? '') ? -1 : 1));
  const order = [...places.tree, ...places.blob, ...places.commit];
  orders.set(tree, order);
  return order;
}
