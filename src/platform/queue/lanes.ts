/** All waiting jobs of one kind and priority, first come, first served. */
export interface Lane {
  readonly name: string;
  readonly kind: string;
  readonly priority: number;
  /** When its first job is due. */
  readonly runAt: number;
}

/** A worker's free slots. */
export interface Room {
  readonly total: number;
  of(kind: string): number;
  /** When the kind was last served, in any increasing unit. */
  lastServed(kind: string): number;
}

/** The lane of a kind and priority. */
export function laneName(kind: string, priority: number): string {
  return `${kind}/${priority}`;
}

/** Parses the name of a lane. */
export function laneOf(name: string, runAt: number): Lane {
  const slash = name.lastIndexOf('/');
  return { name, kind: name.slice(0, slash), priority: Number(name.slice(slash + 1)), runAt };
}

/**
 * How many jobs to take from each lane: one from each in turn, higher priorities first and among equals the kind that
 * waited longest, so that a hundred thousand jobs of one kind do not delay the single one of another.
 */
export function allot(lanes: readonly Lane[], room: Room): Map<string, number> {
  const order = [...lanes].sort(
    (a, b) => b.priority - a.priority || room.lastServed(a.kind) - room.lastServed(b.kind) || a.runAt - b.runAt,
  );
  const shares = new Map<string, number>();
  const used = new Map<string, number>();
  let left = room.total;
  for (let gave = true; gave && left > 0; ) {
    gave = false;
    for (const { name, kind } of order) {
      const taken = used.get(kind) ?? 0;
      if (left === 0 || taken >= room.of(kind)) continue;
      shares.set(name, (shares.get(name) ?? 0) + 1);
      used.set(kind, taken + 1);
      left -= 1;
      gave = true;
    }
  }
  return shares;
}
