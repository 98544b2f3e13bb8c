const shortest = 3;

/** What a search looks for: texts that must all be contained, or, where it has only short words, the whole. */
export type SearchTerms = { readonly contained: readonly string[] } | { readonly whole: string };

/** Splits a search into its words; what stands in double quotes is one. Undefined when it is blank. */
export function searchTerms(search: string | undefined): SearchTerms | undefined {
  const whole = search?.trim() ?? '';
  if (whole === '') return undefined;
  const words = [...whole.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, plain]) => (quoted ?? plain ?? '').trim());
  const contained = words.filter((word) => [...word].length >= shortest);
  return contained.length > 0 ? { contained } : { whole };
}
