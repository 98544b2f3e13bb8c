const shortest = 3;

/** Search terms: words that must all match or, if all of them are short, the whole text. */
export type SearchTerms = { readonly contained: readonly string[] } | { readonly whole: string };

/** Splits a search into words; double quotes group words. Undefined if the search is blank. */
export function searchTerms(search: string | undefined): SearchTerms | undefined {
  const whole = search?.trim() ?? '';
  if (whole === '') return undefined;
  const words = [...whole.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, plain]) => (quoted ?? plain ?? '').trim());
  const contained = words.filter((word) => [...word].length >= shortest);
  return contained.length > 0 ? { contained } : { whole };
}
