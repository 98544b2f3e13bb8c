import type { Status } from './statuses.ts';

/** What counts of a job for those around it. Jobs that were retried do not count at all: leave them out. */
export interface StatusPart {
  readonly status: Status;
  readonly allowFailure: boolean;
}

type Kind = Status | 'warn' | 'ignored';

/** Failures that are allowed are warnings, and a manual job nobody has to play is as good as not there. */
function kindOf({ status, allowFailure }: StatusPart): Kind {
  if (!allowFailure) return status;
  if (status === 'failed' || status === 'canceled') return 'warn';
  return status === 'manual' ? 'ignored' : status;
}

/** The first line that fits decides: all of the set is among these words, and at least one of them is. */
const whole: readonly (readonly [Status, ReadonlySet<Kind>])[] = [
  ['skipped', new Set<Kind>(['skipped', 'ignored'])],
  ['success', new Set<Kind>(['success', 'skipped', 'warn', 'ignored'])],
  ['created', new Set<Kind>(['created', 'warn', 'ignored'])],
  ['preparing', new Set<Kind>(['preparing', 'warn', 'ignored'])],
  ['canceled', new Set<Kind>(['canceled', 'success', 'skipped', 'warn', 'ignored'])],
  ['pending', new Set<Kind>(['pending', 'created', 'skipped', 'warn', 'ignored'])],
];

/** Then the first of which there is any. */
const any: readonly (readonly [Status, readonly Kind[]])[] = [
  ['running', ['running', 'pending']],
  ['waiting_for_resource', ['waiting_for_resource']],
  ['waiting_for_callback', ['waiting_for_callback']],
  ['manual', ['manual']],
  ['scheduled', ['scheduled']],
  ['preparing', ['preparing']],
  ['running', ['created']],
  ['canceling', ['canceling']],
];

/**
 * The state of a stage, of a pipeline, or of the jobs before another one; null for none. `needs`: of the jobs that one job
 * needs, where a single one that does not run keeps it from running.
 */
export function compositeStatus(parts: Iterable<StatusPart>, needs = false): Status | null {
  const kinds = new Set<Kind>();
  for (const part of parts) kinds.add(kindOf(part));
  return compositeOf(kinds, needs);
}

function compositeOf(kinds: ReadonlySet<Kind>, needs: boolean): Status | null {
  if (kinds.size === 0) return null;
  if (needs && (kinds.has('skipped') || kinds.has('ignored'))) return 'skipped';
  for (const [status, words] of whole) if (kinds.isSubsetOf(words)) return status;
  for (const [status, words] of any) if (words.some((word) => kinds.has(word))) return status;
  return 'failed';
}

/** Whether a success came with failures that were allowed: it is shown as one with warnings. */
export function hasWarnings(parts: Iterable<StatusPart>): boolean {
  for (const part of parts) if (kindOf(part) === 'warn') return true;
  return false;
}

/** Gathers the state of one stage after the other, each time of all that have been added. */
export class RunningComposite {
  private readonly kinds = new Set<Kind>();

  add(part: StatusPart): void {
    this.kinds.add(kindOf(part));
  }

  get status(): Status | null {
    return compositeOf(this.kinds, false);
  }
}
