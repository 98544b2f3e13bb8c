import type { GeneralName } from 'pkijs';

/** The general name types (RFC 5280, 4.2.1.6) used here. */
export const nameKinds = { email: 1, directory: 4, uri: 6 } as const;

/** Returns the text names of a type. */
export function textsOf(names: readonly GeneralName[], kind: number): string[] {
  return names.filter(({ type }) => type === kind).map(({ value }) => String(value));
}
