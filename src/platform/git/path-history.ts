import type { Commit } from './commit.ts';
import { lastCommit, type Slowly } from './log.ts';
import type { Objects } from './objects.ts';
import type { TreeEntry } from './tree.ts';

// So many commits are looked at through the reader; beyond that one process of git is quicker.
const READ_BUDGET = 50;
const READ_ALL = 100_000;

/**
 * The newest commit, seen from another, that changed a path; null when none did. It never changes, so it is worked out
 * once. A file that was written lately, which is what clients ask for, needs no process of git.
 */
export function lastCommitOf(
  objects: Objects,
  commit: string,
  path: string,
  slowly: Slowly = (work) => work({}),
): Promise<string | null> {
  const size = () => 100;
  return objects.derived('last-commit', `${commit} ${path}`, size, async () => {
    const near = await walk(objects, commit, path, READ_BUDGET);
    if (near.done) return near.found;
    const found = await slowly((limits) => lastCommit(objects.repo, near.at, path, limits));
    if (found !== undefined) return found;
    // A name that is no UTF-8 cannot be given to git, though the reader knows it.
    const far = await walk(objects, near.at, path, READ_ALL);
    return far.done ? far.found : null;
  });
}

type Walked = { readonly done: true; readonly found: string | null } | { readonly done: false; readonly at: string };

/** As git simplifies history: where one parent has the path as it is, only that parent matters. */
async function walk(objects: Objects, start: string, path: string, budget: number): Promise<Walked> {
  let at = await objects.commit(start);
  for (let left = budget; at && left > 0; left--) {
    const next: Commit | 'here' | 'nowhere' = await step(objects, at, path);
    if (next === 'here') return { done: true, found: at.oid };
    if (next === 'nowhere') return { done: true, found: null };
    at = next;
  }
  return at ? { done: false, at: at.oid } : { done: true, found: null };
}

async function step(objects: Objects, commit: Commit, path: string): Promise<Commit | 'here' | 'nowhere'> {
  const entry = await objects.entryAt(commit.tree, path);
  if (commit.parents.length === 0) return entry ? 'here' : 'nowhere';
  for (const id of commit.parents) {
    const parent = await objects.commit(id);
    if (!parent) continue;
    if (parent.tree === commit.tree || same(entry, await objects.entryAt(parent.tree, path))) return parent;
  }
  return 'here';
}

function same(a: TreeEntry | null, b: TreeEntry | null): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}
