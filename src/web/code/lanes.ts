/** A piece of a line: from a lane above or from the commit itself, to a lane below or to the commit. */
export interface Line {
  readonly from: number;
  readonly to: number;
  readonly kind: 'through' | 'in' | 'out';
}

/** Where a commit stands in the graph, and what passes it or leads to it. */
export interface Row {
  readonly lane: number;
  readonly lines: readonly Line[];
}

interface Node {
  readonly id: string;
  readonly parent_ids: readonly string[];
}

/** The first lane that nobody waits in. */
function freeIn(waiting: readonly (string | undefined)[]): number {
  const at = waiting.indexOf(undefined);
  return at < 0 ? waiting.length : at;
}

/**
 * Draws the rows of a history whose children come before their parents. A lane waits for the commit that its line leads
 * to; those that wait for the same one meet in it, and its parents go on below.
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
