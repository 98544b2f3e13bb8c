const special: Readonly<Record<string, string>> = {
  '\\': '\\5c',
  '*': '\\2a',
  '(': '\\28',
  ')': '\\29',
  '\0': '\\00',
};

/** A text as the value of an assertion in a filter: what is typed into a form must not become part of the question. */
export function escapeFilterValue(text: string): string {
  return text.replace(/[\\*()\0]/g, (letter) => special[letter] ?? letter);
}

/** `(attribute=value)`, whatever the value holds. */
export function equals(attribute: string, value: string): string {
  return `(${attribute}=${escapeFilterValue(value)})`;
}

const inBrackets = (filter: string) => (filter.startsWith('(') ? filter : `(${filter})`);

/** All of these; those that are absent ask for nothing. */
export function allOf(...filters: readonly (string | undefined)[]): string {
  const given = filters
    .filter((filter) => filter !== undefined && filter !== '')
    .map((filter) => inBrackets(`${filter}`));
  return given.length === 1 ? `${given[0]}` : `(&${given.join('')})`;
}
