/** An update of one ref, conditional on its current value. */
export interface RefUpdate {
  /** Full name. */
  readonly ref: string;
  /** Required current id; null when the ref must not exist, undefined for any value. */
  readonly old?: string | null;
  /** New id; null deletes the ref. */
  readonly new: string | null;
}

/** Result of a set of updates; either all of them were made or none. */
export type RefUpdateResult =
  | { readonly status: 'ok' }
  /** The ref was changed, created or deleted concurrently. */
  | { readonly status: 'stale'; readonly ref: string | null; readonly message: string }
  /** `a` and `a/b` cannot both be refs. */
  | { readonly status: 'name-conflict'; readonly ref: string | null; readonly message: string }
  /** Another process holds the ref's lock. */
  | { readonly status: 'locked'; readonly ref: string | null; readonly message: string }
  /** Unusable name or object. */
  | { readonly status: 'invalid'; readonly ref: string | null; readonly message: string };

/** The object id that means "no object" in git's protocols. */
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

/** Interprets git's error message about a transaction; null when it is unknown. */
export function readRefFailure(stderr: string): RefUpdateResult | null {
  const message = stderr.trim();
  const ref = /(?:lock|update|delete|write|create) ref '([^']+)'/.exec(message)?.[1] ?? null;
  for (const [pattern, status] of REASONS) if (pattern.test(message)) return { status, ref, message };
  return null;
}

/** Formats one transaction for `git update-ref --stdin -z`. */
export function transactionInput(updates: readonly RefUpdate[]): string {
  return `start\0${updates.map(updateLine).join('')}prepare\0commit\0`;
}

function updateLine({ ref, old, new: value }: RefUpdate): string {
  // An empty old value means "do not check"; zeros mean "must not exist".
  const expected = old === undefined ? '' : (old ?? NULL_ID);
  return value === null ? `delete ${ref}\0${expected}\0` : `update ${ref}\0${value}\0${expected}\0`;
}
