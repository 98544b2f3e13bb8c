import type { Visit } from './visit.ts';

/** Resolves a URL in a setting: a path on this server or an external URL; undefined if it is neither. */
export function namedAddress(
  { base }: Pick<Visit, 'base'>,
  named: string | null,
): { readonly address: string; readonly elsewhere: boolean } | undefined {
  if (named === null || named === '') return undefined;
  const elsewhere = !named.startsWith('/');
  return { address: elsewhere ? named : base + named, elsewhere };
}
