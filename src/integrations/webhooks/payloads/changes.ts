/** The previous and the current value of an attribute. */
export interface Change {
  readonly previous: unknown;
  readonly current: unknown;
}

/** Returns the changed attributes; for a new object, all that are set. */
export function changedAttributes<T extends object>(
  names: readonly (keyof T & string)[],
  before: T | undefined,
  after: T,
): Record<string, Change> {
  const changes: Record<string, Change> = {};
  for (const name of names) {
    const [previous, current] = [before?.[name] ?? null, after[name] ?? null];
    if (previous !== current) changes[name] = { previous, current };
  }
  return changes;
}
