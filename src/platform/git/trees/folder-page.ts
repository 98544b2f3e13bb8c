import type { Objects } from '../objects/objects.ts';
import type { ListedEntry } from './list.ts';
import { listed, listedBytes } from './page.ts';
import type { EntryType, Tree, TreeEntry } from './tree.ts';

// They are as immutable as the tree, and go with it.
const orders = new WeakMap<Tree, readonly number[]>();

/** The entries of one folder in the order of a listing: folders, then files, then submodules, by the bytes of names. */
export class FolderListing {
  readonly #objects: Objects;
  readonly #tree: Tree;
  readonly #prefix: string;

  /** `prefix` is the path of the tree with a slash at its end, or nothing. */
  constructor(objects: Objects, tree: Tree, prefix: string) {
    this.#objects = objects;
    this.#tree = tree;
    this.#prefix = prefix;
  }

  get total(): number {
    return this.#tree.size;
  }

  /** A page; it depends on the tree alone, so it is put together once. */
  slice(offset: number, limit: number): Promise<readonly ListedEntry[]> {
    const key = `${this.#tree.oid} ${offset} ${limit} ${this.#prefix}`;
    return this.#objects.derived<readonly ListedEntry[]>('folder-page', key, listedBytes, async () => {
      const places = orderOf(this.#tree).slice(offset, offset + limit);
      return places.map((place) => listed(this.#tree.at(place) as TreeEntry, this.#prefix));
    });
  }

  /** Where the entry at a path stands; -1 when there is none. */
  indexOf(path: string): number {
    if (!path.startsWith(this.#prefix)) return -1;
    const place = this.#tree.indexOf(path.slice(this.#prefix.length));
    return place < 0 ? -1 : orderOf(this.#tree).indexOf(place);
  }

  /** Where an id stands first; -1 where it does not. */
  firstOf(oid: string): number {
    const id = Buffer.from(oid, 'hex').toString('latin1');
    return orderOf(this.#tree).findIndex((place) => this.#tree.hasIdAt(place, id));
  }

  /** Whether the entry at an index is the first with its id. */
  isFirst(oid: string, index: number): boolean {
    return this.firstOf(oid) === index;
  }
}

function orderOf(tree: Tree): readonly number[] {
  const known = orders.get(tree);
  if (known) return known;
  const places: Record<EntryType, number[]> = { tree: [], blob: [], commit: [] };
  for (let place = 0; place < tree.size; place++) places[tree.typeAt(place)].push(place);
  // Files are in order already; folders are not, since git sorts them as if their names ended in a slash.
  const names = new Map(places.tree.map((place) => [place, tree.nameAt(place)]));
  places.tree.sort((a, b) => ((names.get(a) ?? '') < (names.get(b) ?? '') ? -1 : 1));
  const order = [...places.tree, ...places.blob, ...places.commit];
  orders.set(tree, order);
  return order;
}
