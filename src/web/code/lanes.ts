/** A line segment: from a lane above, or the commit itself, to a lane below, or the commit. */
export interface Line {
  readonly from: number;
  readonly to: number;
  readonly kind: 'through' | 'in' | 'out';
}

/** The lane of a commit, and the lines that pass or reach it. */
export interface Row {
  readonly lane: number;
  readonly lines: readonly Line[];
}

interface Node {
  readonly id: string;
  readonly parent_ids: readonly string[];
}

/** Returns the first free lane. */
function freeIn(waiting: readonly (string | undefined)[]): number {
  const at = waiting.indexOf(undefined);
  return at < 0 ? waiting.length : at;
}

/**
 * Lays out a commit graph in topological order, children before parents. Each lane waits for the commit that its line
 * leads to; lanes that wait for the same commit join there, and its parents continue below.
 */
export function lanesOf(commits: readonly Node[]): Row[] {
  const waiting: (string | undefined)[] = [];
  return commits.map(({ id, parent_ids }) => {
    const known = waiting.indexOf(id);
    const lane = known < 0 ? freeIn(waiting) : known;
    const lines: Line[] = [];
    for (const [from, expected] of waiting.entries()) {
      if (expected === undefined) continue;
      if (expected === id) lines.push({ from, to: lane, kind: 'in' });
      else lines.push({ from, to: from, kind: 'through' });
    }
    for (const [at, expected] of waiting.entries()) if (expected === id) waiting[at] = undefined;
    for (const [number, parent] of [...new Set(parent_ids)].entries()) {
      const met = waiting.indexOf(parent);
      const to = met >= 0 ? met : number === 0 ? lane : freeIn(waiting);
      waiting[to] = parent;
      lines.push({ from: lane, to, kind: 'out' });
    }
    return { lane, lines };
  });
}
