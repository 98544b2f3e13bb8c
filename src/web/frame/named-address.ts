import type { Visit } from './visit.ts';

/** Where a setting sends people: a path of this server, or an address elsewhere; undefined where it names none. */
export function namedAddress(
  { base }: Pick<Visit, 'base'>,
  named: string | null,
): { readonly address: string; readonly elsewhere: boolean } | undefined {
  if (named === null || named === '') return undefined;
  const elsewhere = !named.startsWith('/');
  return { address: elsewhere ? named : base + named, elsewhere };
}
