import type { RefUpdate } from '../../platform/git/refs/update.ts';

/** Refs by full name. */
type RefMap = ReadonlyMap<string, string>;

/** What a mirror is to look like. */
export interface MirrorRules {
  /** Which branches are mirrored; tags always are. */
  readonly includes: (branch: string) => boolean;
  /** Leaves alone what has another history there. */
  readonly keepDivergent: boolean;
  readonly defaultBranch: string | null;
  /** Whether what the mirror has lies in the history of what is here; false for what is not known here. */
  readonly isAncestor: (theirs: string, ours: string) => Promise<boolean>;
}

/** What has to be done to a mirror. */
export interface MirrorPlan {
  readonly updates: readonly RefUpdate[];
  /** Short names of what is left alone. */
  readonly diverged: readonly string[];
}

const heads = 'refs/heads/';
const tags = 'refs/tags/';

/** Compares what is here with what a mirror has. */
export async function planMirror(local: RefMap, remote: RefMap, rules: MirrorRules): Promise<MirrorPlan> {
  const updates: RefUpdate[] = [];
  const diverged: string[] = [];
  // A mirror of nothing would delete everything there: more likely something is missing here.
  if (local.size === 0) return { updates, diverged };
  for (const [ref, ours] of local) {
    if (!isMirrored(ref, rules)) continue;
    const theirs = remote.get(ref);
    if (theirs === ours) continue;
    const fits = theirs === undefined || !rules.keepDivergent || (await rules.isAncestor(theirs, ours));
    if (fits) updates.push({ ref, old: theirs ?? null, new: ours });
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

// What the default branch does not have may be there alone: deleting it would lose somebody's work.
async function isMerged(theirs: string, local: RefMap, { defaultBranch, isAncestor }: MirrorRules): Promise<boolean> {
  const tip = local.get(`${heads}${defaultBranch}`);
  return tip !== undefined && (await isAncestor(theirs, tip));
}

// Whoever serves an empty repository makes the first branch that arrives the default one.
function defaultFirst(updates: readonly RefUpdate[], branch: string | null): RefUpdate[] {
  const first = updates.filter(({ ref }) => ref === `${heads}${branch}`);
  return [...first, ...updates.filter((update) => !first.includes(update))];
}
