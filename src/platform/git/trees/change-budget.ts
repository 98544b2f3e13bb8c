import type { Objects } from '../objects/objects.ts';
import { nearCounts } from './counts.ts';
import { EMPTY_TREE, entryType, type TreeEntry } from './tree.ts';

/** More files than this are compared, counted or packed by nobody: git would hold them all in memory. */
export const MOST_FILES = 1_000_000;

// So many pairs of folders are looked at; what cannot be told by then is left to the limits of the process.
const PAIRS = 2000;

/**
 * Whether a tree stands for no more files than git can be asked to go through. A dozen objects that name each other can
 * stand for billions; they are counted by folder, each once, so that those are found out in a moment.
 */
export async function isWithinBudget(objects: Objects, tree: string, most = MOST_FILES): Promise<boolean> {
  return (await filesBelow(objects, tree)) <= most;
}

/** Whether no more files than that differ between two commits or trees; without `from`, all of `to` do. */
export async function changesWithinBudget(
  objects: Objects,
  from: string | undefined,
  to: string,
  most = MOST_FILES,
): Promise<boolean> {
  const [before, after] = await Promise.all([
    from === undefined ? EMPTY_TREE : treeOf(objects, from),
    treeOf(objects, to),
  ]);
  const all = (await filesBelow(objects, before)) + (await filesBelow(objects, after));
  if (all <= most) return true;
  return new Comparison(objects, most).isWithin(before, after);
}

/** Counted as none where they are too many folders to be read here: such trees are large, but not out of nothing. */
async function filesBelow(objects: Objects, tree: string): Promise<number> {
  if (tree === EMPTY_TREE) return 0;
  const counts = await nearCounts(objects, tree);
  return counts ? counts.blob + counts.commit : 0;
}

async function treeOf(objects: Objects, id: string): Promise<string> {
  return (await objects.commit(id))?.tree ?? id;
}

/** Counts what differs between two trees, folder by folder; those that are the same are not looked into. */
class Comparison {
  readonly #objects: Objects;
  readonly #most: number;
  readonly #known = new Map<string, number>();

  constructor(objects: Objects, most: number) {
    this.#objects = objects;
    this.#most = most;
  }

  async isWithin(before: string, after: string): Promise<boolean> {
    return (await this.#trees(before, after)) <= this.#most;
  }

  async #trees(before: string, after: string): Promise<number> {
    if (before === after) return 0;
    const key = `${before} ${after}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= PAIRS) return 0;
    this.#known.set(key, 0);
    const [old, young] = await Promise.all([this.#objects.tree(before), this.#objects.tree(after)]);
    let count = 0;
    for (const entry of old?.entries ?? []) {
      if (count > this.#most) break;
      count += await this.#entries(entry, young?.find(entry.name));
    }
    for (const entry of young?.entries ?? []) {
      if (count > this.#most) break;
      if (!old?.find(entry.name)) count += await this.#entries(undefined, entry);
    }
    this.#known.set(key, count);
    return count;
  }

  async #entries(before: TreeEntry | undefined, after: TreeEntry | undefined): Promise<number> {
    if (before?.oid === after?.oid && before?.mode === after?.mode) return 0;
    const folders = [before, after].map((entry) => (entry && entryType(entry) === 'tree' ? entry.oid : EMPTY_TREE));
    const files = [before, after].some((entry) => entry && entryType(entry) !== 'tree') ? 1 : 0;
    const [old = EMPTY_TREE, young = EMPTY_TREE] = folders;
    if (old === EMPTY_TREE) return files + (await filesBelow(this.#objects, young));
    if (young === EMPTY_TREE) return files + (await filesBelow(this.#objects, old));
    return files + (await this.#trees(old, young));
  }
}
