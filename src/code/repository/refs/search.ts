import { matchesWildcard } from '../../../platform/wildcard.ts';

/**
 * Filters refs by a case-insensitive substring. `^` and `$` anchor the term, `*` matches any characters. Without these,
 * an exact match comes first.
 */
export function searchRefs<R extends { readonly name: string }>(refs: readonly R[], search: string): R[] {
  const term = search.toLowerCase();
  const atStart = term.startsWith('^');
  const atEnd = term.endsWith('$');
  const inner = term.slice(atStart ? 1 : 0, atEnd ? -1 : undefined);
  const pattern = `${atStart ? '' : '*'}${inner}${atEnd ? '' : '*'}`;
  const found = refs.filter((ref) => matchesWildcard(pattern, ref.name.toLowerCase()));
  return atStart || atEnd || inner.includes('*') ? found : exactFirst(found, term);
}

function exactFirst<R extends { readonly name: string }>(refs: R[], term: string): R[] {
  const at = refs.findIndex((ref) => ref.name.toLowerCase() === term);
  return at <= 0 ? refs : [refs[at] as R, ...refs.slice(0, at), ...refs.slice(at + 1)];
}
