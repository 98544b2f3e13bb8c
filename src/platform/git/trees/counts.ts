import type { LogOptions, Slowly } from '../history/log.ts';
import type { Objects } from '../objects/objects.ts';
import { GitError } from '../process/errors.ts';
import { linesBelow } from './list.ts';
import type { EntryType, Tree } from './tree.ts';

/** How many folders, files and submodules lie below a tree, at any depth. */
export type TreeCounts = Readonly<Record<EntryType, number>>;

const KIND = 'tree-counts';
const BYTES = 60;
// So many trees are read through the reader; beyond that one process of git is quicker.
const READ_BUDGET = 300;

/**
 * Counts what lies below a tree. The counts of every folder on the way are kept, so that after a change only the folders
 * that it touched are read again.
 */
export async function treeCounts(objects: Objects, tree: string, slowly: Slowly): Promise<TreeCounts> {
  const near = await nearCounts(objects, tree);
  // Whoever had the turn before may have counted the same.
  return near ?? slowly(async (limits) => objects.known<TreeCounts>(KIND, tree) ?? list(objects, tree, limits));
}

/** The same where few folders have to be read for it; undefined where they are many. */
export function nearCounts(objects: Objects, tree: string): Promise<TreeCounts | undefined> {
  return read(objects, tree, { left: READ_BUDGET, reading: new Map() });
}

/** A tree that is there because another one names it. */
export async function requireTree(objects: Objects, oid: string): Promise<Tree> {
  const tree = await objects.tree(oid);
  if (!tree) throw new GitError(`tree ${oid} is missing`, {});
  return tree;
}

interface Budget {
  left: number;
  /** What is being read: a tree that others name many times over is read once, or a few of them would take for ever. */
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

/** The same from git's own listing, which names the folders in the order in which they end. */
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
  for await (const lines of linesBelow(objects.repo, tree, limits)) {
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
