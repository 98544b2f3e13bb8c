import { nearMergeBase } from '../history/near-merge-base.ts';
import type { Objects } from '../objects/objects.ts';
import { ScratchObjects } from '../objects/scratch-objects.ts';
import { decodeText } from '../objects/text.ts';
import type { ObjectWriter } from '../objects/writer.ts';
import { type GitOptions, type Repository, run } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import { type MergedTrees, mergeTrees } from '../trees/merge.ts';

/** Paths that both sides changed, and git's words about them. */
export interface MergeConflict {
  readonly status: 'conflict';
  readonly paths: readonly string[];
  readonly messages: readonly string[];
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
  const command = {
    name: 'merge-tree',
    flags: ['--write-tree', '-z', '--name-only', '--messages'],
    args: [ours, theirs],
  } as const;
  const { code, stdout, stderr } = await run(scratch.repo, command, { ...limits, okCodes: [0, 1] });
  // A missing tree is merged as if it were empty.
  if (stdout.length === 0 || /^error: /m.test(stderr))
    throw new GitError('git merge-tree made no tree', { code, stderr });
  const result = parseMergeTree(stdout, code === 0);
  if (result.status === 'clean' && !dryRun) await scratch.keep();
  return result;
}

/** Reads `merge-tree -z --name-only --messages`: tree, conflicted paths, an empty field, then the messages. */
export function parseMergeTree(output: Buffer, clean: boolean): Merged {
  const fields = output.toString('latin1').split('\0');
  if (clean) return { status: 'clean', tree: fields[0] ?? '' };
  const text = (field: string) => decodeText(Buffer.from(field, 'latin1'));
  const gap = fields.indexOf('', 1);
  const paths = fields.slice(1, gap).map(text);
  const messages: string[] = [];
  for (let at = gap + 1; at < fields.length - 1; ) {
    const count = Number(fields[at]);
    if (!Number.isInteger(count) || count < 0) break;
    const message = fields[at + count + 2];
    if (message !== undefined) messages.push(text(message).trimEnd());
    at += count + 3;
  }
  return { status: 'conflict', paths, messages };
}

function commitText(tree: string, parent?: string): string {
  const who = 'Hearth <hearth@localhost> 0 +0000';
  const parents = parent === undefined ? '' : `parent ${parent}\n`;
  return `tree ${tree}\n${parents}author ${who}\ncommitter ${who}\n\nbase\n`;
}
