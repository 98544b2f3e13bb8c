import type { Objects } from '../../../platform/git/objects/objects.ts';
import { EMPTY_TREE, entryType, type TreeEntry } from '../../../platform/git/trees/tree.ts';
import type { ChangedFile } from './new-objects.ts';

// Beyond so many entries git is quicker, and keeps to its time: a few trees that name each other make billions.
const maxEntries = 5000;

/** Ends the comparison: there is more to look at than is worth it here. */
class TooMany extends Error {
  override readonly name = 'TooMany';
}

/**
 * The files in which two trees differ, by reading only the folders that differ; undefined when they are too many. No
 * process is started, so that a small commit of the API costs next to nothing; a push of many commits is better off
 * with `changedFiles`.
 */
export async function treeChanges(
  objects: Objects,
  before: string,
  after: string,
  most = maxEntries,
): Promise<ChangedFile[] | undefined> {
  try {
    return await folderChanges({ objects, left: most }, before, after, '');
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
