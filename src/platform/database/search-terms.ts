/** An index of three characters in a row knows nothing of less. */
const shortest = 3;

/** Every row with a term has all its trigrams, so that these are enough to find few. */
const mostTrigrams = 32;

/** The terms that can be looked up; the others are compared only. */
export function usable(terms: readonly (string | undefined)[]): string[] {
  return terms.filter((term) => term !== undefined && [...term].length >= shortest) as string[];
}

/** The query of SQLite's full-text search for rows that have every trigram of the terms. */
export function matchOf(terms: readonly string[]): string {
  const trigrams = new Set<string>();
  for (const term of terms) {
    const characters = [...term];
    for (let at = 0; at + shortest <= characters.length && trigrams.size < mostTrigrams; at += 1) {
      trigrams.add(characters.slice(at, at + shortest).join(''));
    }
  }
  return [...trigrams].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
}
