import type { Status } from './statuses.ts';

/** The attributes of a job that contribute to a composite status. Retried jobs must be left out. */
export interface StatusPart {
  readonly status: Status;
  readonly allowFailure: boolean;
}

type Kind = Status | 'warn' | 'ignored';

/** Allowed failures count as warnings; an optional manual job is ignored. */
function kindOf({ status, allowFailure }: StatusPart): Kind {
  if (!allowFailure) return status;
  if (status === 'failed' || status === 'canceled') return 'warn';
  return status === 'manual' ? 'ignored' : status;
}

/** Checked in order: the first status whose set contains every kind present applies. */
const whole: readonly (readonly [Status, ReadonlySet<Kind>])[] = [
  ['skipped', new Set<Kind>(['skipped', 'ignored'])],
  ['success', new Set<Kind>(['success', 'skipped', 'warn', 'ignored'])],
  ['created', new Set<Kind>(['created', 'warn', 'ignored'])],
  ['preparing', new Set<Kind>(['preparing', 'warn', 'ignored'])],
  ['canceled', new Set<Kind>(['canceled', 'success', 'skipped', 'warn', 'ignored'])],
  ['pending', new Set<Kind>(['pending', 'created', 'skipped', 'warn', 'ignored'])],
];

/** Otherwise the first status with a matching kind applies. */
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
 * Composite status of a stage, of a pipeline or of the jobs preceding a job; null if there are no jobs. Set `needs` for
 * the jobs another job needs: a single one that was skipped then causes a skip.
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

/** Whether a success includes allowed failures, in which case it is displayed with warnings. */
export function hasWarnings(parts: Iterable<StatusPart>): boolean {
  for (const part of parts) if (kindOf(part) === 'warn') return true;
  return false;
}

/** Accumulates jobs stage by stage; the status always covers everything added so far. */
export class RunningComposite {
  private readonly kinds = new Set<Kind>();

  add(part: StatusPart): void {
    this.kinds.add(kindOf(part));
  }

  get status(): Status | null {
    return compositeOf(this.kinds, false);
  }
}
