import { setImmediate } from 'node:timers/promises';
import type { Commit } from '../objects/commit.ts';
import type { Objects } from '../objects/objects.ts';
import { EMPTY_TREE, entryType, type TreeEntry } from '../trees/tree.ts';
import { type BloomPositions, bloomPositionsOf } from './changed-paths.ts';
import { type CommitGraph, commitGraphOf } from './commit-graph.ts';
import { lastCommit, type WithProcessSlot } from './log.ts';

// Commits read through the object reader; beyond that one git process is faster.
const READ_BUDGET = 25;
const READ_ALL = 100_000;
// Maximum number of tree comparisons for commits that the commit-graph cannot rule out.
const COMPARE_BUDGET = 100;
// This many steps in the commit-graph take about a millisecond.
const STEPS_AT_ONCE = 4000;
const KIND = 'last-commit';

/**
 * Returns the newest commit, reachable from another, that changed a path; null when none did. The result never changes
 * and is cached. Files changed recently need no git process, nor do older ones once the history is in the commit-graph.
 */
export function lastCommitOf(
  objects: Objects,
  commit: string,
  path: string,
  slowly: WithProcessSlot = (work) => work({}),
): Promise<string | null> {
  const size = () => 100;
  return objects.derived(KIND, `${commit} ${path}`, size, async () => {
    const marks = bloomPositionsOf(path);
    const graph = marks === undefined ? null : await commitGraphOf(objects);
    const recorded = marks && graph && { graph, marks };
    const near = await walk(objects, commit, path, READ_BUDGET, recorded);
    if (near.done) return near.found;
    const found = await slowly((limits) => lastCommit(objects.repo, near.at, path, limits));
    if (found !== undefined) return found;
    // A name that is not UTF-8 cannot be passed to git, although the object reader knows it.
    const far = await walk(objects, near.at, path, READ_ALL);
    return far.done ? far.found : null;
  });
}

type Walked = { readonly done: true; readonly found: string | null } | { readonly done: false; readonly at: string };

/** The commit-graph and the filter positions of the path. */
interface Recorded {
  readonly graph: CommitGraph;
  readonly marks: BloomPositions;
}

/** Follows git's history simplification: when a parent has the path unchanged, only that parent matters. */
async function walk(
  objects: Objects,
  start: string,
  path: string,
  budget: number,
  recorded?: Recorded | null,
): Promise<Walked> {
  const names = path.split('/');
  const placeOf = (id: string) => recorded?.graph.placeOf(id);
  const first = placeOf(start);
  if (recorded && first !== undefined) return walkGraph(objects, recorded, first, path);
  let at = await objects.commit(start);
  for (let left = budget; at && left > 0; left--) {
    const next: Commit | 'here' | 'nowhere' = await step(objects, at, names);
    if (next === 'here') return { done: true, found: at.oid };
    if (next === 'nowhere') return { done: true, found: null };
    at = next;
    // A result cached for an older commit stays valid as long as no commit in between touched the path.
    const known = objects.known<string | null>(KIND, `${at.oid} ${path}`);
    if (known !== undefined) return { done: true, found: known };
    const place = placeOf(at.oid);
    if (recorded && place !== undefined) return walkGraph(objects, recorded, place, path);
  }
  return at ? { done: false, at: at.oid } : { done: true, found: null };
}

/** The same walk within the commit-graph: most commits are skipped without reading their trees. */
async function walkGraph(objects: Objects, { graph, marks }: Recorded, start: number, path: string): Promise<Walked> {
  const names = path.split('/');
  const sameTrees = (one: string, two: string) => sameAt(objects, one, two, names);
  let at = start;
  let comparisons = 0;
  for (let steps = 1; steps <= graph.size; steps++) {
    if (steps % STEPS_AT_ONCE === 0) await setImmediate();
    const parents = graph.parentsAt(at);
    const [first] = parents;
    if (parents.some((parent) => parent >= graph.size)) break;
    if (first !== undefined && !graph.mayChange(at, marks)) {
      at = first;
      continue;
    }
    const id = graph.idAt(at);
    const known = objects.known<string | null>(KIND, `${id} ${path}`);
    if (known !== undefined) return { done: true, found: known };
    if (++comparisons > COMPARE_BUDGET) return { done: false, at: id };
    const tree = graph.treeAt(at);
    if (first === undefined) return { done: true, found: (await sameTrees(tree, EMPTY_TREE)) ? null : id };
    const next = await firstWhere(parents, (parent) => sameTrees(tree, graph.treeAt(parent)));
    if (next === undefined) return { done: true, found: id };
    at = next;
  }
  // The graph contains a cycle or points outside itself: git reports what is wrong.
  return { done: false, at: graph.idAt(start) };
}

async function firstWhere<T>(values: readonly T[], holds: (value: T) => Promise<boolean>): Promise<T | undefined> {
  for (const value of values) if (await holds(value)) return value;
  return undefined;
}

async function step(objects: Objects, commit: Commit, names: readonly string[]): Promise<Commit | 'here' | 'nowhere'> {
  if (commit.parents.length === 0) return (await sameAt(objects, commit.tree, EMPTY_TREE, names)) ? 'nowhere' : 'here';
  for (const id of commit.parents) {
    const parent = await objects.commit(id);
    if (parent && (await sameAt(objects, commit.tree, parent.tree, names))) return parent;
  }
  return 'here';
}

/** Whether two trees have the same entry at a path, or both none. Identical folders are not read. */
async function sameAt(
  objects: Objects,
  one: string,
  two: string,
  [name = '', ...rest]: readonly string[],
): Promise<boolean> {
  if (one === two) return true;
  const [here, there] = await Promise.all([objects.entryIn(one, name), objects.entryIn(two, name)]);
  if (here?.oid === there?.oid && here?.mode === there?.mode) return true;
  return rest.length > 0 && sameAt(objects, folderOf(here), folderOf(there), rest);
}

/** Returns the tree id of an entry; the empty tree for anything that is not a folder. */
function folderOf(entry: TreeEntry | null): string {
  return entry && entryType(entry) === 'tree' ? entry.oid : EMPTY_TREE;
}
