import type { Objects } from '../../../platform/git/objects/objects.ts';
import { EMPTY_TREE, entryType, type TreeEntry } from '../../../platform/git/trees/tree.ts';
import type { ChangedFile } from './new-objects.ts';

// With more entries git is faster, and has a timeout: a few nested trees can expand to billions of entries.
const maxEntries = 5000;

/** Aborts the comparison when the limit is exceeded. */
class TooMany extends Error {
  override readonly name = 'TooMany';
}

/**
 * Compares two trees by reading only the folders that differ; undefined if there are too many. It needs no process,
 * which keeps small API commits cheap. For pushes of many commits `changedFiles` is faster.
 */
export async function treeChanges(
  objects: Objects,
  before: string,
  after: string,
  limit = maxEntries,
): Promise<ChangedFile[] | undefined> {
  try {
    return await folderChanges({ objects, left: limit }, before, after, '');
  } catch (error) {
    if (error instanceof TooMany) return undefined;
    throw error;
  }
}

interface Comparison {
  readonly objects: Objects;
  left: number;
}

async function folderChanges(
  comparison: Comparison,
  before: string,
  after: string,
  path: string,
): Promise<ChangedFile[]> {
  if (before === after) return [];
  const { objects } = comparison;
  const [old, now] = await Promise.all([objects.tree(before), objects.tree(after)]);
  const left = new Map((old?.entries ?? []).map((entry) => [entry.name, entry]));
  const found: ChangedFile[] = [];
  for (const entry of now?.entries ?? []) {
    const was = left.get(entry.name);
    left.delete(entry.name);
    if (was?.oid === entry.oid && was.mode === entry.mode) continue;
    found.push(...(await entryChanges(comparison, was, entry, path + entry.name)));
  }
  for (const was of left.values()) found.push(...(await entryChanges(comparison, was, undefined, path + was.name)));
  return found;
}

async function entryChanges(
  comparison: Comparison,
  was: TreeEntry | undefined,
  now: TreeEntry | undefined,
  path: string,
): Promise<ChangedFile[]> {
  if (--comparison.left < 0) throw new TooMany();
  const folders = [was, now].map((entry) => (entry && entryType(entry) === 'tree' ? entry.oid : EMPTY_TREE));
  const [before = EMPTY_TREE, after = EMPTY_TREE] = folders;
  const inside = await folderChanges(comparison, before, after, `${path}/`);
  const old = was && entryType(was) === 'blob' ? was.oid : null;
  if (now && entryType(now) === 'blob') inside.push({ path, blob: now.oid, was: old, added: old === null });
  else if (was && entryType(was) !== 'tree') inside.push({ path, blob: null, was: old, added: false });
  return inside;
}
