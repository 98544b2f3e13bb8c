/** A value as it was and as it is. */
export interface Change {
  readonly previous: unknown;
  readonly current: unknown;
}

/** What of these differs; of something new, everything that is set does. */
export function differences<T extends object>(
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
