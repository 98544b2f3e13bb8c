/** One ref to be moved, if it still is where the caller saw it. */
export interface RefUpdate {
  /** Full name. */
  readonly ref: string;
  /** The id it must have now; null when it must not exist; undefined when any will do. */
  readonly old?: string | null;
  /** The id it gets; null deletes it. */
  readonly new: string | null;
}

/** How a set of updates ended; all of them happened, or none. */
export type RefUpdateResult =
  | { readonly status: 'ok' }
  /** Somebody else moved, created or deleted the ref meanwhile. */
  | { readonly status: 'stale'; readonly ref: string | null; readonly message: string }
  /** `a` and `a/b` cannot both be refs. */
  | { readonly status: 'name-conflict'; readonly ref: string | null; readonly message: string }
  /** Another process holds the ref's lock. */
  | { readonly status: 'locked'; readonly ref: string | null; readonly message: string }
  /** The name or the object cannot be used. */
  | { readonly status: 'invalid'; readonly ref: string | null; readonly message: string };

/** The object id that stands for "no object" in git's protocols. */
export const NULL_ID = '0'.repeat(40);

const REASONS: readonly [RegExp, Exclude<RefUpdateResult['status'], 'ok'>][] = [
  [/Unable to create '.*\.lock': File exists|unable to lock|Another git process/i, 'locked'],
  [
    /exists; cannot create|cannot process .* at the same time|non-empty directory|there are still refs under/i,
    'name-conflict',
  ],
  [
    /is at [0-9a-f]+ but expected|reference already exists|unable to resolve reference|is missing but expected/i,
    'stale',
  ],
  [/nonexistent object|non-commit object|invalid ref|bad name|invalid object|multiple updates|broken/i, 'invalid'],
];

/** Reads git's complaint about a transaction; null when it is none of the known ones. */
export function readRefFailure(stderr: string): RefUpdateResult | null {
  const message = stderr.trim();
  const ref = /(?:lock|update|delete|write|create) ref '([^']+)'/.exec(message)?.[1] ?? null;
  for (const [pattern, status] of REASONS) if (pattern.test(message)) return { status, ref, message };
  return null;
}

/** The lines that make one transaction of `git update-ref --stdin -z`. */
export function transactionInput(updates: readonly RefUpdate[]): string {
  return `start\0${updates.map(updateLine).join('')}prepare\0commit\0`;
}

function updateLine({ ref, old, new: value }: RefUpdate): string {
  // An empty old value means "do not look"; zeros mean "must not exist".
  const expected = old === undefined ? '' : (old ?? NULL_ID);
  return value === null ? `delete ${ref}\0${expected}\0` : `update ${ref}\0${value}\0${expected}\0`;
}
