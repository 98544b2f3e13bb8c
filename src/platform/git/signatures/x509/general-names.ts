import type { GeneralName } from 'pkijs';

/** The kinds of names (RFC 5280, 4.2.1.6) that are of interest here. */
export const nameKinds = { email: 1, directory: 4, uri: 6 } as const;

/** The names of a kind whose names are texts. */
export function textsOf(names: readonly GeneralName[], kind: number): string[] {
  return names.filter(({ type }) => type === kind).map(({ value }) => String(value));
}
