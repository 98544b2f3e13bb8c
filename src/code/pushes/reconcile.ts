import type { RefChange } from './push.ts';

/** A recorded push, reduced to what is needed to determine its outcome. */
export interface RecordedPush {
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
 * Returns which ref updates of pushes with unknown outcome were applied, by push ID. Every ref is traced backwards from
 * its current value. Finished pushes certainly updated it, so they are tried first; a pending push updated it if its
 * new value is where the trace has arrived. Updates are compare-and-swap, so of two pushes with the same update only
 * one was applied, and each is used once.
 */
export function reconcile(
  pushes: readonly RecordedPush[],
  current: (ref: string) => string | null,
): ReadonlyMap<number, RefChange[]> {
  const steps: Step[] = pushes.flatMap(({ id, done, changes }) => changes.map((change) => ({ id, done, change })));
  const moved = new Map<number, RefChange[]>();
  for (const [ref, ofRef] of Map.groupBy(steps, (step) => step.change.ref)) {
    for (const step of traceBack(ofRef, current(ref))) {
      if (!step.done) moved.set(step.id, [...(moved.get(step.id) ?? []), step.change]);
    }
  }
  return moved;
}

function traceBack(steps: readonly Step[], end: string | null): Step[] {
  const left = [...steps].sort((a, b) => Number(b.done) - Number(a.done) || b.id - a.id);
  const traced: Step[] = [];
  let at = end;
  for (;;) {
    const index = left.findIndex((step) => step.change.new === at);
    if (index < 0) return traced;
    const [step] = left.splice(index, 1) as [Step];
    traced.push(step);
    at = step.change.old;
  }
}
