import type { RefChange } from './push.ts';

/** A push on record, as far as the question matters whether its refs moved. */
export interface Recorded {
  readonly id: number;
  readonly done: boolean;
  readonly changes: readonly RefChange[];
}

interface Step {
  readonly id: number;
  readonly done: boolean;
  readonly change: RefChange;
}

/**
 * Which refs of the pushes of unknown outcome have moved, by the numbers of the pushes. Every ref is followed backwards
 * from where it is now: a push that is done has moved it for certain, so those come first; a push of unknown outcome
 * moved it if what it wanted is where the trail has come to. Moves are made by comparing and swapping, so that of two
 * pushes that wanted the same only one can have happened, and each is walked over once.
 */
export function reconcile(
  pushes: readonly Recorded[],
  current: (ref: string) => string | null,
): ReadonlyMap<number, RefChange[]> {
  const steps: Step[] = pushes.flatMap(({ id, done, changes }) => changes.map((change) => ({ id, done, change })));
  const moved = new Map<number, RefChange[]>();
  for (const [ref, ofRef] of Map.groupBy(steps, (step) => step.change.ref)) {
    for (const step of trail(ofRef, current(ref))) {
      if (!step.done) moved.set(step.id, [...(moved.get(step.id) ?? []), step.change]);
    }
  }
  return moved;
}

function trail(steps: readonly Step[], end: string | null): Step[] {
  const left = [...steps].sort((a, b) => Number(b.done) - Number(a.done) || b.id - a.id);
  const walked: Step[] = [];
  let at = end;
  for (;;) {
    const index = left.findIndex((step) => step.change.new === at);
    if (index < 0) return walked;
    const [step] = left.splice(index, 1) as [Step];
    walked.push(step);
    at = step.change.old;
  }
}
