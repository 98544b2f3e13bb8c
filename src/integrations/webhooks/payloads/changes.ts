/** The previous and the current value of an attribute. */
export interface Change {
  readonly previous: unknown;
  readonly current: unknown;
}

/** Adds the time spent by a change, which is 0 outside of it. */
export function withTimeChange<T extends Record<string, unknown>>(
  changes: T,
  before: { readonly total_time_spent: number } | undefined,
  after: { readonly total_time_spent: number },
): T {
  const seconds = after.total_time_spent - (before?.total_time_spent ?? 0);
  return seconds === 0 ? changes : { ...changes, time_change: { previous: 0, current: seconds } };
}

/** Returns the changed attributes; those that are missing before were null. */
export function changedAttributes<T extends object>(
  names: readonly (keyof T & string)[],
  before: Partial<T>,
  after: T,
): Record<string, Change> {
  const changes: Record<string, Change> = {};
  for (const name of names) {
    const [previous, current] = [before[name] ?? null, after[name] ?? null];
    if (previous !== current) changes[name] = { previous, current };
  }
  return changes;
}
