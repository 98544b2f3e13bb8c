import type { RefUpdate } from '../../platform/git/refs/update.ts';

/** Object IDs by full ref name. */
type RefMap = ReadonlyMap<string, string>;

/** The configuration of a mirror. */
export interface MirrorRules {
  /** Returns whether a branch is mirrored. Tags always are. */
  readonly includes: (branch: string) => boolean;
  /** Whether diverged remote refs are kept. */
  readonly keepDivergent: boolean;
  readonly defaultBranch: string | null;
  /** Whether the remote commit is an ancestor of the local one; false for commits unknown here. */
  readonly isAncestor: (theirs: string, ours: string) => Promise<boolean>;
}

/** The ref updates for a mirror. */
export interface MirrorPlan {
  readonly updates: readonly RefUpdate[];
  /** Short names of diverged refs, which are not updated. */
  readonly diverged: readonly string[];
}

const heads = 'refs/heads/';
const tags = 'refs/tags/';

/** Compares the local refs with those of a mirror. */
export async function planMirror(local: RefMap, remote: RefMap, rules: MirrorRules): Promise<MirrorPlan> {
  const updates: RefUpdate[] = [];
  const diverged: string[] = [];
  // Never empty a mirror: if there are no local refs, something is more likely wrong here.
  if (local.size === 0) return { updates, diverged };
  for (const [ref, ours] of local) {
    if (!isMirrored(ref, rules)) continue;
    const theirs = remote.get(ref);
    if (theirs === ours) continue;
    const updatable = theirs === undefined || !rules.keepDivergent || (await rules.isAncestor(theirs, ours));
    if (updatable) updates.push({ ref, old: theirs ?? null, new: ours });
    else diverged.push(ref.replace(/^refs\/(heads|tags)\//, ''));
  }
  if (!rules.keepDivergent) {
    for (const [ref, theirs] of remote) {
      if (local.has(ref) || !isMirrored(ref, rules)) continue;
      if (await isMerged(theirs, local, rules)) updates.push({ ref, old: theirs, new: null });
    }
  }
  return { updates: defaultFirst(updates, rules.defaultBranch), diverged };
}

function isMirrored(ref: string, { includes }: MirrorRules): boolean {
  return ref.startsWith(tags) || (ref.startsWith(heads) && includes(ref.slice(heads.length)));
}

// Commits missing from the default branch may only exist on the mirror: deleting their ref could lose work.
async function isMerged(theirs: string, local: RefMap, { defaultBranch, isAncestor }: MirrorRules): Promise<boolean> {
  const tip = local.get(`${heads}${defaultBranch}`);
  return tip !== undefined && (await isAncestor(theirs, tip));
}

// Many servers make the first branch pushed to an empty repository the default branch.
function defaultFirst(updates: readonly RefUpdate[], branch: string | null): RefUpdate[] {
  const first = updates.filter(({ ref }) => ref === `${heads}${branch}`);
  return [...first, ...updates.filter((update) => !first.includes(update))];
}
