/** What lies in a repository, as far as its upkeep is concerned. Instants are milliseconds. */
export interface RepositoryState {
  readonly looseObjects: number;
  /** Packs without those that hold unreachable objects. */
  readonly packs: number;
  readonly packBytes: number;
  readonly hasBitmap: boolean;
  readonly looseRefs: number;
  readonly packedRefsBytes: number;
  /** When a ref last moved. */
  readonly refsChanged: number;
  /** When the commit-graph was written; undefined when there is none. */
  readonly commitGraph: number | undefined;
  /** When everything was last repacked and expired; undefined when it never was. */
  readonly fullRepack: number | undefined;
  /** When objects last came in. */
  readonly objectsChanged: number;
}

/** One step of upkeep. */
export type HousekeepingAction = 'pack-refs' | 'geometric-repack' | 'full-repack' | 'commit-graph';

const DAY = 24 * 60 * 60 * 1000;
const MIB = 1024 * 1024;
const LOOSE_OBJECTS = 512;
const FULL_REPACK_EVERY = 7 * DAY;

/**
 * What to do now, in order. Repacking grows with the logarithm of the repository, so that large repositories are not
 * rewritten for every push; everything is rewritten only to put unreachable objects apart and let old ones go.
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
  // Rewriting packed-refs costs its size: the larger it is, the more loose refs it waits for.
  const tolerated = Math.max(16, Math.log(packedRefsBytes / 100 + 1) / Math.log(1.15));
  return looseRefs > tolerated;
}

function needsRepack({ looseObjects, packs, packBytes, hasBitmap }: RepositoryState): boolean {
  const tolerated = Math.max(5, Math.ceil(2 * Math.log2(packBytes / MIB + 1)));
  return looseObjects > LOOSE_OBJECTS || packs > tolerated || (!hasBitmap && packs > 0);
}

function needsFullRepack({ fullRepack, objectsChanged }: RepositoryState, now: number): boolean {
  if (objectsChanged === 0) return false;
  // Objects also become unreachable when refs go away, which moves no object: the rhythm is by time alone.
  return fullRepack === undefined ? now - objectsChanged > DAY : now - fullRepack > FULL_REPACK_EVERY;
}
