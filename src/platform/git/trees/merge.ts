import { type NewObject, newObject } from '../objects/loose-object.ts';
import type { Objects } from '../objects/objects.ts';
import { EMPTY_TREE, entryType, formatTree, type Tree, type TreeEntry } from './tree.ts';

/** The result of a merge of trees, with the new objects that are not in the repository yet. */
export interface MergedTrees {
  readonly tree: string;
  readonly created: readonly NewObject[];
}

/** Maximum number of trees read in-process; larger trees are left to git. */
const MAX_FOLDERS = 1000;

/** Aborts the merge: the case is left to git. */
class Undecided extends Error {
  override readonly name = 'Undecided';
}

interface Merge {
  readonly objects: Objects;
  readonly created: NewObject[];
  left: number;
}

/**
 * Merges two trees with a common base, provided that no path was changed on both sides; otherwise undefined, because
 * then only git can decide the result. Most branches touch other files than their target branch, so that a few folders
 * are read and no process is needed.
 *
 * The result must equal git's, including rename detection. A rename matters only if the other side changed the old
 * path, added something at the new one, or renamed it too: each is a path changed on both sides, or deleted on both. A
 * renamed folder matters if the other side adds to it, and is then a folder deleted here and changed there.
 */
export async function mergeTrees(
  objects: Objects,
  base: string,
  ours: string,
  theirs: string,
): Promise<MergedTrees | undefined> {
  const merge: Merge = { objects, created: [], left: MAX_FOLDERS };
  try {
    return { tree: await mergeFolders(merge, base, ours, theirs), created: merge.created };
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

async function mergeFolders(merge: Merge, base: string, ours: string, theirs: string): Promise<string> {
  if (theirs === base) return ours;
  if (ours === base) return theirs;
  merge.left -= 1;
  if (merge.left < 0) throw new Undecided();
  const [was, our, their] = await Promise.all([base, ours, theirs].map((oid) => entriesOf(merge.objects, oid)));
  if (!was || !our || !their) throw new Undecided();
  const result = new Map(our);
  for (const name of new Set([...was.keys(), ...their.keys()])) {
    const [before, here, there] = [was.get(name), our.get(name), their.get(name)];
    if (same(before, there)) continue;
    const entry = same(before, here) ? there : await mergeEntries(merge, before, here, there);
    if (entry) result.set(name, entry);
    else result.delete(name);
  }
  if (ours === theirs) return ours;
  if (result.size === 0) return EMPTY_TREE;
  const object = newObject('tree', formatTree([...result.values()]));
  if (object.oid !== ours && object.oid !== theirs) merge.created.push(object);
  return object.oid;
}

/** Merges an entry changed on both sides; undefined when nothing remains, because git keeps no empty folders. */
async function mergeEntries(
  merge: Merge,
  before: TreeEntry | undefined,
  here: TreeEntry | undefined,
  there: TreeEntry | undefined,
): Promise<TreeEntry | undefined> {
  // An entry deleted on both sides may have been renamed to different names.
  if (!here || !there) throw new Undecided();
  if (same(here, there) && (!before || !isFolder(here))) {
    if (before && isFolder(before)) throw new Undecided();
    return here;
  }
  if (!isFolder(here) || !isFolder(there) || (before && !isFolder(before))) throw new Undecided();
  const oid = await mergeFolders(merge, before?.oid ?? EMPTY_TREE, here.oid, there.oid);
  return oid === EMPTY_TREE ? undefined : { ...here, oid };
}

const isFolder = (entry: TreeEntry) => entryType(entry) === 'tree';

const same = (one: TreeEntry | undefined, two: TreeEntry | undefined) =>
  one?.oid === two?.oid && one?.mode === two?.mode;

/** Keyed by the bytes of the names: two names can decode to the same text, one from UTF-8 and one from Latin-1. */
async function entriesOf(objects: Objects, oid: string): Promise<Map<string, TreeEntry> | undefined> {
  const tree: Tree | null = await objects.tree(oid);
  return tree ? new Map(tree.entries.map((entry, place) => [tree.nameAt(place), entry])) : undefined;
}
