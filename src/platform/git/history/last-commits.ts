import { setImmediate } from 'node:timers/promises';
import type { Commit } from '../objects/commit.ts';
import type { Objects } from '../objects/objects.ts';
import { EMPTY_TREE, entryType, type Tree } from '../trees/tree.ts';
import { commitGraphOf } from './commit-graph.ts';
import { CommitQueue } from './commit-queue.ts';
import type { WithProcessSlot } from './log.ts';
import { lastCommitOf } from './path-history.ts';

const KIND = 'last-commits';
/** Maximum number of commits read for one folder; entries that none of them changed stay unknown. */
const READ_BUDGET = 500;
const READ_AT_ONCE = 25;
/** This many steps in the commit-graph take a few hundred milliseconds. */
const RECORDED_STEPS = 1_000_000;

/** The last commits that changed the entries of a folder, by entry name; null beyond the search budget. */
export type LastCommits = ReadonlyMap<string, string | null>;

/**
 * Returns the newest commits, reachable from a commit, that changed the given entries of a folder. Uses the
 * commit-graph when the history is short enough; otherwise walks the newest commits once for all entries.
 */
export function lastCommitsOf(
  objects: Objects,
  commit: string,
  folder: string,
  names: readonly string[],
  budget = READ_BUDGET,
): Promise<LastCommits> {
  const [first = ''] = names;
  const bytes = (found: LastCommits) => 100 + [...found.keys()].reduce((sum, name) => sum + 150 + 2 * name.length, 0);
  // A folder is shown in pages, and each page starts with a different name.
  return objects.derived(KIND, keyOf(commit, folder, first), bytes, async () => {
    const graph = await commitGraphOf(objects);
    const isShort = graph !== null && graph.size * names.length <= RECORDED_STEPS;
    return isShort
      ? fromCommitGraph(objects, commit, folder, names)
      : new Walk(objects, folder, names).from(commit, budget);
  });
}

/** Looks up each entry separately in the commit-graph: most commits are skipped without reading their trees. */
async function fromCommitGraph(
  objects: Objects,
  commit: string,
  folder: string,
  names: readonly string[],
): Promise<LastCommits> {
  const found = new Map<string, string | null>();
  for (const name of names) {
    const path = folder === '' ? name : `${folder}/${name}`;
    found.set(name, await lastCommitOf(objects, commit, path, giveUp).catch(nullIfTooFar));
    await setImmediate();
  }
  return found;
}

/** Thrown instead of starting a git process. */
class TooFar extends Error {
  override readonly name = 'TooFar';
}

const giveUp: WithProcessSlot = () => Promise.reject(new TooFar());

function nullIfTooFar(error: unknown): null {
  if (error instanceof TooFar) return null;
  throw error;
}

const keyOf = (commit: string, folder: string, first: string) => `${commit}\0${folder}\0${first}`;

/** Follows git's history simplification: each entry is followed into the first parent that has it unchanged. */
class Walk {
  readonly #objects: Objects;
  readonly #folder: string;
  readonly #names: readonly string[];
  readonly #found = new Map<string, string | null>();
  readonly #queue = new CommitQueue();
  /** Names still to be resolved, by the commit to continue from. */
  readonly #waiting = new Map<string, Set<string>>();

  constructor(objects: Objects, folder: string, names: readonly string[]) {
    this.#objects = objects;
    this.#folder = folder;
    this.#names = names;
  }

  async from(start: string, budget: number): Promise<LastCommits> {
    await this.#follow(start, this.#names);
    for (let read = 1; read <= budget; read += 1) {
      const commit = this.#queue.pop();
      if (!commit) break;
      await this.#visit(commit);
      if (read % READ_AT_ONCE === 0) await setImmediate();
    }
    for (const name of this.#names) if (!this.#found.has(name)) this.#found.set(name, null);
    return this.#found;
  }

  async #follow(id: string, names: Iterable<string>): Promise<void> {
    const waiting = this.#waiting.get(id);
    if (waiting) {
      for (const name of names) waiting.add(name);
      return;
    }
    const commit = await this.#objects.commit(id);
    if (!commit) return;
    this.#waiting.set(id, new Set(names));
    this.#queue.push(commit);
  }

  async #visit(commit: Commit): Promise<void> {
    const names = this.#waiting.get(commit.oid) ?? new Set<string>();
    this.#waiting.delete(commit.oid);
    const known = this.#objects.known<LastCommits>(KIND, keyOf(commit.oid, this.#folder, this.#names[0] ?? ''));
    for (const name of known ? [...names] : []) {
      const found = known?.get(name);
      if (found === undefined) continue;
      this.#found.set(name, found);
      names.delete(name);
    }
    if (names.size === 0) return;
    const here = await this.#treeOf(commit.tree);
    for (const id of commit.parents) {
      const parent = await this.#objects.commit(id);
      if (!parent) continue;
      const there = await this.#treeOf(parent.tree);
      const same = [...names].filter((name) => isSame(here, there, name));
      for (const name of same) names.delete(name);
      if (same.length > 0) await this.#follow(id, same);
    }
    for (const name of names) this.#found.set(name, commit.oid);
  }

  /** Returns the folder's tree in a commit; null when it cannot be read. */
  async #treeOf(root: string): Promise<Tree | null> {
    if (this.#folder === '') return this.#objects.tree(root);
    const entry = await this.#objects.entryAt(root, this.#folder);
    return this.#objects.tree(entry && entryType(entry) === 'tree' ? entry.oid : EMPTY_TREE);
  }
}

function isSame(here: Tree | null, there: Tree | null, name: string): boolean {
  if (here?.oid === there?.oid) return true;
  const [one, two] = [here?.find(name), there?.find(name)];
  return one?.oid === two?.oid && one?.mode === two?.mode;
}
