import { isUtf8 } from 'node:buffer';
import { nearMergeBase } from '../history/near-merge-base.ts';
import type { Objects } from '../objects/objects.ts';
import { ScratchObjects } from '../objects/scratch-objects.ts';
import { decodeText } from '../objects/text.ts';
import type { ObjectWriter } from '../objects/writer.ts';
import { type GitOptions, type Repository, run } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import type { PathEntry } from '../trees/edit.ts';
import { type MergedTrees, mergeTrees } from '../trees/merge.ts';

/** A path at which two sides do not go together, and what each of them has there. */
export interface ConflictedPath {
  readonly path: string;
  /** The name is no UTF-8: what is written at `path` would lie beside it. */
  readonly inexact?: true;
  readonly ours?: PathEntry;
  readonly theirs?: PathEntry;
}

/** What git could not merge, and the tree that it made all the same, with marks in the files. */
export interface MergeConflict {
  readonly status: 'conflict';
  readonly tree: string;
  readonly paths: readonly ConflictedPath[];
}

export type Merged = { readonly status: 'clean'; readonly tree: string } | MergeConflict;

/** How a change applied to another tree ended; `empty` when the tree already had it. */
export type PickResult = Merged | { readonly status: 'empty' };

/** Limits of one merge; with `dryRun` no object stays behind. */
export interface MergeOptions extends Pick<GitOptions, 'signal' | 'timeoutMs'> {
  readonly dryRun?: boolean;
}

/** Trees of a change and of the place where it shall be applied. */
export interface PickQuery {
  /** The tree before the change: the picked commit's (first) parent, or the empty tree for a root commit. */
  readonly base: string;
  /** The tree with the change. */
  readonly change: string;
  /** The tree it shall be applied to. */
  readonly onto: string;
}

/**
 * Applies the difference between two trees to a third, as cherry-pick does. The tree of a clean result is in the
 * repository unless it was a dry run.
 */
export async function pickTree(repo: Repository, query: PickQuery, options: MergeOptions = {}): Promise<PickResult> {
  const { base, change, onto } = query;
  if (change === base || change === onto) return { status: 'empty' };
  if (onto === base) return { status: 'clean', tree: change };
  return ScratchObjects.use(repo, async (scratch) => {
    // merge-tree takes its base from history (--merge-base came with git 2.40): three commits make that history.
    const root = await scratch.throwaway('commit', commitText(base));
    const ours = await scratch.throwaway('commit', commitText(onto, root));
    const theirs = await scratch.throwaway('commit', commitText(change, root));
    const result = await merge(scratch, ours, theirs, options);
    return result.status === 'clean' && result.tree === onto ? { status: 'empty' } : result;
  });
}

/** Undoes the difference between two trees in a third, as revert does. */
export function revertTree(repo: Repository, query: PickQuery, options: MergeOptions = {}): Promise<PickResult> {
  return pickTree(repo, { base: query.change, change: query.base, onto: query.onto }, options);
}

/**
 * Merges two commits as `git merge` would. Given a writer, what the tree of a clean result is made of goes there or is in
 * the repository already; without one nothing is left behind. A process is started only where both sides changed a path.
 */
export async function mergeCommits(
  objects: Objects,
  ours: string,
  theirs: string,
  writer?: ObjectWriter,
  options: MergeOptions = {},
): Promise<Merged> {
  const quick = await mergeApart(objects, ours, theirs);
  if (quick) {
    for (const { type, data } of writer ? quick.made : []) await writer?.add(type, data);
    return { status: 'clean', tree: quick.tree };
  }
  const dryRun = writer === undefined;
  return ScratchObjects.use(objects.repo, (scratch) => merge(scratch, ours, theirs, { ...options, dryRun }));
}

/** What git made of two commits that conflict, for as long as it is looked at. */
export interface OpenConflict extends MergeConflict {
  /** Where its tree is. */
  readonly repo: Repository;
  /** Leaves what git made in the repository. */
  keep(): Promise<void>;
}

/** Merges two commits, and has what does not go together looked at; undefined where everything does. */
export async function lookAtConflict<T>(
  repo: Repository,
  ours: string,
  theirs: string,
  look: (conflict: OpenConflict) => Promise<T>,
): Promise<T | undefined> {
  return ScratchObjects.use(repo, async (scratch) => {
    const merged = await merge(scratch, ours, theirs, { dryRun: true });
    if (merged.status === 'clean') return undefined;
    return look({ ...merged, repo: scratch.repo, keep: () => scratch.keep() });
  });
}

async function mergeApart(objects: Objects, ours: string, theirs: string): Promise<MergedTrees | undefined> {
  // Of several bases git makes one first.
  const base = await nearMergeBase(objects, ours, theirs);
  if (base === undefined || base === null) return undefined;
  const [was, our, their] = await objects.commits([base, ours, theirs]);
  return was && our && their ? mergeTrees(objects, was.tree, our.tree, their.tree) : undefined;
}

async function merge(
  scratch: ScratchObjects,
  ours: string,
  theirs: string,
  { dryRun = false, ...limits }: MergeOptions,
): Promise<Merged> {
  const command = { name: 'merge-tree', flags: ['--write-tree', '-z', '--no-messages'], args: [ours, theirs] } as const;
  const { code, stdout, stderr } = await run(scratch.repo, command, { ...limits, okCodes: [0, 1] });
  // A missing tree is merged as if it were empty.
  if (stdout.length === 0 || /^error: /m.test(stderr))
    throw new GitError('git merge-tree made no tree', { code, stderr });
  const result = parseMergeTree(stdout, code === 0);
  if (result.status === 'clean' && !dryRun) await scratch.keep();
  return result;
}

/** Reads `merge-tree -z --no-messages`: the tree, then a line for each side of each conflicted path. */
export function parseMergeTree(output: Buffer, clean: boolean): Merged {
  const [tree = '', ...lines] = output.toString('latin1').split('\0');
  if (clean) return { status: 'clean', tree };
  const found = new Map<string, Writable<ConflictedPath>>();
  for (const line of lines) {
    const [, mode, oid, stage, name] = /^(\d{6}) ([0-9a-f]{40,64}) ([123])\t(.*)$/s.exec(line) ?? [];
    if (mode === undefined || oid === undefined || name === undefined) continue;
    const conflicted = found.get(name) ?? namedBy(Buffer.from(name, 'latin1'));
    if (stage === '2') conflicted.ours = { mode, oid };
    if (stage === '3') conflicted.theirs = { mode, oid };
    found.set(name, conflicted);
  }
  return { status: 'conflict', tree, paths: [...found.values()] };
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

function namedBy(bytes: Buffer): Writable<ConflictedPath> {
  return { path: decodeText(bytes), ...(!isUtf8(bytes) && { inexact: true }) };
}

function commitText(tree: string, parent?: string): string {
  const who = 'Hearth <hearth@localhost> 0 +0000';
  const parents = parent === undefined ? '' : `parent ${parent}\n`;
  return `tree ${tree}\n${parents}author ${who}\ncommitter ${who}\n\nbase\n`;
}
