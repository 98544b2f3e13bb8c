import type { Objects } from '../objects/objects.ts';
import { countsWithinBudget } from './counts.ts';
import { EMPTY_TREE, entryType, type TreeEntry } from './tree.ts';

/** Diffs, counts and archives are refused above this number of files, because git keeps all of them in memory. */
export const MAX_FILES = 1_000_000;

// Maximum number of folder pairs compared; beyond that, the limits of the process apply.
const PAIRS = 2000;

/**
 * Whether a tree contains no more files than git can process. A dozen objects that reference each other can represent
 * billions of files; each folder is counted once, so such trees are detected quickly.
 */
export async function isWithinBudget(objects: Objects, tree: string, maxFiles = MAX_FILES): Promise<boolean> {
  return (await filesBelow(objects, tree)) <= maxFiles;
}

/** Whether at most this many files differ between two commits or trees; without `from`, all files of `to` count. */
export async function changesWithinBudget(
  objects: Objects,
  from: string | undefined,
  to: string,
  maxFiles = MAX_FILES,
): Promise<boolean> {
  const [before, after] = await Promise.all([
    from === undefined ? EMPTY_TREE : treeOf(objects, from),
    treeOf(objects, to),
  ]);
  const all = (await filesBelow(objects, before)) + (await filesBelow(objects, after));
  if (all <= maxFiles) return true;
  return new Comparison(objects, maxFiles).isWithin(before, after);
}

/** Returns 0 for trees with too many folders to read here: those are large, but not amplified by repetition. */
async function filesBelow(objects: Objects, tree: string): Promise<number> {
  if (tree === EMPTY_TREE) return 0;
  const counts = await countsWithinBudget(objects, tree);
  return counts ? counts.blob + counts.commit : 0;
}

async function treeOf(objects: Objects, id: string): Promise<string> {
  return (await objects.commit(id))?.tree ?? id;
}

/** Counts the differences between two trees folder by folder; identical folders are skipped. */
class Comparison {
  readonly #objects: Objects;
  readonly #maxFiles: number;
  readonly #known = new Map<string, number>();

  constructor(objects: Objects, maxFiles: number) {
    this.#objects = objects;
    this.#maxFiles = maxFiles;
  }

  async isWithin(before: string, after: string): Promise<boolean> {
    return (await this.#trees(before, after)) <= this.#maxFiles;
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
      if (count > this.#maxFiles) break;
      count += await this.#entries(entry, young?.find(entry.name));
    }
    for (const entry of young?.entries ?? []) {
      if (count > this.#maxFiles) break;
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
