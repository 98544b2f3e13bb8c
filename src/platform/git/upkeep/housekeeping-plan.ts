/** The state of a repository that matters for housekeeping. Times are in milliseconds. */
export interface RepositoryState {
  readonly looseObjects: number;
  /** Number of packs, excluding cruft packs. */
  readonly packs: number;
  readonly packBytes: number;
  readonly hasBitmap: boolean;
  readonly looseRefs: number;
  readonly packedRefsBytes: number;
  /** Last change of a ref. */
  readonly refsChanged: number;
  /** Last write of the commit-graph; undefined when there is none. */
  readonly commitGraph: number | undefined;
  /** Last full repack; undefined when there was none. */
  readonly fullRepack: number | undefined;
  /** Last time objects were added. */
  readonly objectsChanged: number;
}

/** One housekeeping step. */
export type HousekeepingAction = 'pack-refs' | 'geometric-repack' | 'full-repack' | 'commit-graph';

const DAY = 24 * 60 * 60 * 1000;
const MIB = 1024 * 1024;
const LOOSE_OBJECTS = 512;
const FULL_REPACK_EVERY = 7 * DAY;

/**
 * Returns the steps to perform now, in order. Geometric repacking costs grow with the logarithm of the repository size,
 * so that large repositories are not rewritten for every push; a full repack is only made to separate unreachable
 * objects and expire old ones.
 */
export function planHousekeeping(state: RepositoryState, now: number): HousekeepingAction[] {
  const actions: HousekeepingAction[] = [];
  if (needsPackRefs(state)) actions.push('pack-refs');
  if (needsFullRepack(state, now)) actions.push('full-repack');
  else if (needsRepack(state)) actions.push('geometric-repack');
  if (state.commitGraph === undefined ? state.refsChanged > 0 : state.refsChanged > state.commitGraph) {
    actions.push('commit-graph');
  }
  return actions;
}

function needsPackRefs({ looseRefs, packedRefsBytes }: RepositoryState): boolean {
  // Rewriting packed-refs costs its size: the larger it is, the more loose refs are tolerated.
  const tolerated = Math.max(16, Math.log(packedRefsBytes / 100 + 1) / Math.log(1.15));
  return looseRefs > tolerated;
}

function needsRepack({ looseObjects, packs, packBytes, hasBitmap }: RepositoryState): boolean {
  const tolerated = Math.max(5, Math.ceil(2 * Math.log2(packBytes / MIB + 1)));
  return looseObjects > LOOSE_OBJECTS || packs > tolerated || (!hasBitmap && packs > 0);
}

function needsFullRepack({ fullRepack, objectsChanged }: RepositoryState, now: number): boolean {
  if (objectsChanged === 0) return false;
  // Deleting refs also makes objects unreachable without changing any object, so the interval depends on time only.
  return fullRepack === undefined ? now - objectsChanged > DAY : now - fullRepack > FULL_REPACK_EVERY;
}
