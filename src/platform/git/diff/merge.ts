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

/** A conflicted path and its entry on each side. */
export interface ConflictedPath {
  readonly path: string;
  /** The name is not valid UTF-8, so writing to `path` would create another file. */
  readonly inexact?: true;
  readonly ours?: PathEntry;
  readonly theirs?: PathEntry;
}

/** A conflicting merge, with the tree that git wrote anyway, conflict markers included. */
export interface MergeConflict {
  readonly status: 'conflict';
  readonly tree: string;
  readonly paths: readonly ConflictedPath[];
}

export type Merged = { readonly status: 'clean'; readonly tree: string } | MergeConflict;

/** Result of applying a change to another tree; `empty` when the tree already contains the change. */
export type PickResult = Merged | { readonly status: 'empty' };

/** Limits of one merge; with `dryRun` no objects are kept. */
export interface MergeOptions extends Pick<GitOptions, 'signal' | 'timeoutMs'> {
  readonly dryRun?: boolean;
}

/** Trees of a change and of the target it is applied to. */
export interface PickQuery {
  /** The tree before the change: that of the picked commit's first parent, or the empty tree for a root commit. */
  readonly base: string;
  /** The tree with the change. */
  readonly change: string;
  /** The target tree. */
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
    // merge-tree derives its base from history (--merge-base came with git 2.40), so three commits provide that
    // history.
    const root = await scratch.throwaway('commit', commitText(base));
    const ours = await scratch.throwaway('commit', commitText(onto, root));
    const theirs = await scratch.throwaway('commit', commitText(change, root));
    const result = await merge(scratch, ours, theirs, options);
    return result.status === 'clean' && result.tree === onto ? { status: 'empty' } : result;
  });
}

/** Reverts the difference between two trees in a third tree. */
export function revertTree(repo: Repository, query: PickQuery, options: MergeOptions = {}): Promise<PickResult> {
  return pickTree(repo, { base: query.change, change: query.base, onto: query.onto }, options);
}

/**
 * Merges two commits as `git merge` would. With a writer, the objects of a clean result are written to it unless they
 * already exist; without one, nothing is kept. A process is started only when both sides changed the same path.
 */
export async function mergeCommits(
  objects: Objects,
  ours: string,
  theirs: string,
  writer?: ObjectWriter,
  options: MergeOptions = {},
): Promise<Merged> {
  const quick = await mergeInProcess(objects, ours, theirs);
  if (quick) {
    for (const { type, data } of writer ? quick.created : []) await writer?.add(type, data);
    return { status: 'clean', tree: quick.tree };
  }
  const dryRun = writer === undefined;
  return ScratchObjects.use(objects.repo, (scratch) => merge(scratch, ours, theirs, { ...options, dryRun }));
}

/** A conflicting merge, available while the callback runs. */
export interface OpenConflict extends MergeConflict {
  /** The repository view that contains the merged tree. */
  readonly repo: Repository;
  /** Keeps the objects that git wrote in the repository. */
  keep(): Promise<void>;
}

/** Merges two commits and passes a conflict to the callback; returns undefined for a clean merge. */
export async function inspectConflict<T>(
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

async function mergeInProcess(objects: Objects, ours: string, theirs: string): Promise<MergedTrees | undefined> {
  // With several merge bases, git merges them into a virtual one first.
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
  // git merges a missing tree as if it were empty.
  if (stdout.length === 0 || /^error: /m.test(stderr))
    throw new GitError('git merge-tree created no tree', { code, stderr });
  const result = parseMergeTree(stdout, code === 0);
  if (result.status === 'clean' && !dryRun) await scratch.keep();
  return result;
}

/** Parses `merge-tree -z --no-messages`: the tree, then a line for each side of each conflicted path. */
export function parseMergeTree(output: Buffer, clean: boolean): Merged {
  const [tree = '', ...lines] = output.toString('latin1').split('\0');
  if (clean) return { status: 'clean', tree };
  const found = new Map<string, Writable<ConflictedPath>>();
  for (const line of lines) {
    const [, mode, oid, stage, name] = /^(\d{6}) ([0-9a-f]{40,64}) ([123])\t(.*)$/s.exec(line) ?? [];
    if (mode === undefined || oid === undefined || name === undefined) continue;
    const conflicted = found.get(name) ?? conflictedPath(Buffer.from(name, 'latin1'));
    if (stage === '2') conflicted.ours = { mode, oid };
    if (stage === '3') conflicted.theirs = { mode, oid };
    found.set(name, conflicted);
  }
  return { status: 'conflict', tree, paths: [...found.values()] };
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

function conflictedPath(bytes: Buffer): Writable<ConflictedPath> {
  return { path: decodeText(bytes), ...(!isUtf8(bytes) && { inexact: true }) };
}

function commitText(tree: string, parent?: string): string {
  const who = 'Hearth <hearth@localhost> 0 +0000';
  const parents = parent === undefined ? '' : `parent ${parent}\n`;
  return `tree ${tree}\n${parents}author ${who}\ncommitter ${who}\n\nbase\n`;
}
