import type { LogOptions, WithProcessSlot } from '../history/log.ts';
import type { Objects } from '../objects/objects.ts';
import { GitError } from '../process/errors.ts';
import { listTreeRecursively } from './list.ts';
import type { EntryType, Tree } from './tree.ts';

/** Number of folders, files and submodules below a tree, at any depth. */
export type TreeCounts = Readonly<Record<EntryType, number>>;

const KIND = 'tree-counts';
const BYTES = 60;
// Maximum number of trees read in-process; beyond that one git process is faster.
const READ_BUDGET = 300;

/**
 * Counts the entries below a tree. The counts of each folder are cached, so that after a change only the changed
 * folders are read again.
 */
export async function treeCounts(objects: Objects, tree: string, slowly: WithProcessSlot): Promise<TreeCounts> {
  const near = await countsWithinBudget(objects, tree);
  // The previous holder of the slot may have counted the same tree.
  return near ?? slowly(async (limits) => objects.known<TreeCounts>(KIND, tree) ?? list(objects, tree, limits));
}

/** Returns the counts if only a few folders have to be read; undefined otherwise. */
export function countsWithinBudget(objects: Objects, tree: string): Promise<TreeCounts | undefined> {
  return read(objects, tree, { left: READ_BUDGET, reading: new Map() });
}

/** Returns a tree that must exist because another object references it. */
export async function requireTree(objects: Objects, oid: string): Promise<Tree> {
  const tree = await objects.tree(oid);
  if (!tree) throw new GitError(`tree ${oid} is missing`, {});
  return tree;
}

interface Budget {
  left: number;
  /** Reads in progress: a tree referenced many times is read once; otherwise a few such trees would take forever. */
  readonly reading: Map<string, Promise<TreeCounts | undefined>>;
}

async function read(objects: Objects, oid: string, budget: Budget): Promise<TreeCounts | undefined> {
  const known = objects.known<TreeCounts>(KIND, oid);
  if (known) return known;
  let reading = budget.reading.get(oid);
  if (!reading) {
    if (budget.left-- <= 0) return undefined;
    reading = readOne(objects, oid, budget);
    budget.reading.set(oid, reading);
  }
  return reading;
}

async function readOne(objects: Objects, oid: string, budget: Budget): Promise<TreeCounts | undefined> {
  const tree = await requireTree(objects, oid);
  const counts = { tree: 0, blob: 0, commit: 0 };
  const folders: string[] = [];
  for (let index = 0; index < tree.size; index++) {
    const type = tree.typeAt(index);
    counts[type] += 1;
    if (type === 'tree') folders.push(tree.at(index)?.oid ?? '');
  }
  const below = await Promise.all(folders.map((folder) => read(objects, folder, budget)));
  for (const part of below) {
    if (!part) return undefined;
    add(counts, part);
  }
  objects.keep(KIND, oid, BYTES, counts);
  return counts;
}

interface Frame extends Record<EntryType, number> {
  readonly oid: string;
}

/** Counts from git's own listing, in which each folder precedes its contents. */
async function list(objects: Objects, tree: string, limits: LogOptions): Promise<TreeCounts> {
  const open: Frame[] = [{ oid: tree, tree: 0, blob: 0, commit: 0 }];
  const close = (depth: number) => {
    while (open.length > depth) {
      const { oid, ...counts } = open.pop() as Frame;
      objects.keep(KIND, oid, BYTES, counts);
      const above = open.at(-1);
      if (!above) return counts;
      add(above, counts);
    }
    return undefined;
  };
  for await (const lines of listTreeRecursively(objects.repo, tree, limits)) {
    for (const line of lines) {
      close(line.depth + 1);
      const frame = open.at(-1) as Frame;
      frame[line.type] += 1;
      if (line.type === 'tree') open.push({ oid: line.oid, tree: 0, blob: 0, commit: 0 });
    }
  }
  return close(0) as TreeCounts;
}

function add(counts: Record<EntryType, number>, more: TreeCounts): void {
  counts.tree += more.tree;
  counts.blob += more.blob;
  counts.commit += more.commit;
}
