/** A ref that is to point to what it points to there; null when it is not here yet. */
export interface RefMove {
  readonly ref: string;
  readonly old: string | null;
  readonly new: string;
}

/** Refs by full name. */
type RefMap = ReadonlyMap<string, string>;

export interface PullRules {
  /** Replaces what has another history here. */
  readonly overwrites: boolean;
  readonly defaultBranch: string | null;
  /** Whether what is here lies in the history of what is there. */
  readonly isAncestor: (ours: string, theirs: string) => Promise<boolean>;
}

export interface PullPlan {
  readonly updates: readonly RefMove[];
  /** Full names of what is left alone because it has another history here. */
  readonly diverged: readonly string[];
}

/**
 * Compares what is here with what the followed repository has. Nothing is deleted: what is only here may be somebody's
 * work.
 */
export async function planPull(local: RefMap, upstream: RefMap, rules: PullRules): Promise<PullPlan> {
  const updates: RefMove[] = [];
  const diverged: string[] = [];
  for (const [ref, theirs] of upstream) {
    const ours = local.get(ref) ?? null;
    if (ours === theirs) continue;
    if (ours === null || rules.overwrites || (await follows(ref, ours, theirs, rules))) {
      updates.push({ ref, old: ours, new: theirs });
    } else diverged.push(ref);
  }
  return { updates: defaultFirst(updates, rules.defaultBranch), diverged };
}

// A tag stands for one thing: that it is another one now is never a step forward.
async function follows(ref: string, ours: string, theirs: string, { isAncestor }: PullRules): Promise<boolean> {
  return ref.startsWith('refs/heads/') && (await isAncestor(ours, theirs));
}

function defaultFirst(updates: readonly RefMove[], branch: string | null): RefMove[] {
  const first = updates.filter(({ ref }) => ref === `refs/heads/${branch}`);
  return [...first, ...updates.filter((update) => !first.includes(update))];
}
