/** A ref update; `old` is null for a new ref. */
export interface RefMove {
  readonly ref: string;
  readonly old: string | null;
  readonly new: string;
}

/** Object IDs by full ref name. */
type RefMap = ReadonlyMap<string, string>;

export interface PullRules {
  /** Whether to overwrite diverged refs. */
  readonly overwrites: boolean;
  readonly defaultBranch: string | null;
  /** Whether the first commit is an ancestor of the second. */
  readonly isAncestor: (ours: string, theirs: string) => Promise<boolean>;
}

export interface PullPlan {
  readonly updates: readonly RefMove[];
  /** Full names of diverged refs, which are not updated. */
  readonly diverged: readonly string[];
}

/** Compares the local refs with the remote ones. Nothing is deleted, as local refs may contain somebody's work. */
export async function planPull(local: RefMap, upstream: RefMap, rules: PullRules): Promise<PullPlan> {
  const updates: RefMove[] = [];
  const diverged: string[] = [];
  for (const [ref, theirs] of upstream) {
    const ours = local.get(ref) ?? null;
    if (ours === theirs) continue;
    if (ours === null || rules.overwrites || (await isFastForward(ref, ours, theirs, rules))) {
      updates.push({ ref, old: ours, new: theirs });
    } else diverged.push(ref);
  }
  return { updates: defaultFirst(updates, rules.defaultBranch), diverged };
}

// Tags never fast-forward: a different target is always a divergence.
async function isFastForward(ref: string, ours: string, theirs: string, { isAncestor }: PullRules): Promise<boolean> {
  return ref.startsWith('refs/heads/') && (await isAncestor(ours, theirs));
}

function defaultFirst(updates: readonly RefMove[], branch: string | null): RefMove[] {
  const first = updates.filter(({ ref }) => ref === `refs/heads/${branch}`);
  return [...first, ...updates.filter((update) => !first.includes(update))];
}
