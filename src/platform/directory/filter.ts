const special: Readonly<Record<string, string>> = {
  '\\': '\\5c',
  '*': '\\2a',
  '(': '\\28',
  ')': '\\29',
  '\0': '\\00',
};

/** Escapes a value for a filter, so that form input cannot change the filter. */
export function escapeFilterValue(text: string): string {
  return text.replace(/[\\*()\0]/g, (letter) => special[letter] ?? letter);
}

/** `(attribute=value)`, with the value escaped. */
export function equals(attribute: string, value: string): string {
  return `(${attribute}=${escapeFilterValue(value)})`;
}

const inBrackets = (filter: string) => (filter.startsWith('(') ? filter : `(${filter})`);

/** Combines filters with AND; absent ones are skipped. */
export function allOf(...filters: readonly (string | undefined)[]): string {
  const present = filters
    .filter((filter) => filter !== undefined && filter !== '')
    .map((filter) => inBrackets(`${filter}`));
  return present.length === 1 ? `${present[0]}` : `(&${present.join('')})`;
}
