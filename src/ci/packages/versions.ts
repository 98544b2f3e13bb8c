const separated = /^v?([\d.]*)(?:-([^+]*))?/i;

/** Compares digit strings of any length numerically. */
function compareNumbers(one: string, other: string): number {
  const [a, b] = [one.replace(/^0+(?=\d)/, ''), other.replace(/^0+(?=\d)/, '')];
  return a.length - b.length || Number(a > b) - Number(a < b);
}

const isNumber = (text: string) => /^\d+$/.test(text);

function compareIdentifiers(one: string, other: string): number {
  if (isNumber(one) && isNumber(other)) return compareNumbers(one, other);
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  return Number(one > other) - Number(one < other);
}

function compareLists(one: readonly string[], other: readonly string[], missing?: string): number {
  for (let place = 0; place < Math.max(one.length, other.length); place += 1) {
    const [a = missing, b = missing] = [one[place], other[place]];
    if (a === undefined || b === undefined) return one.length - other.length;
    const order = compareIdentifiers(a, b);
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares versions by any number of numeric components; pre-releases sort before the release. */
export function compareVersions(one: string, other: string): number {
  const [, numbers = '', before] = separated.exec(one) ?? [];
  const [, otherNumbers = '', otherBefore] = separated.exec(other) ?? [];
  const order = compareLists(numbers.split('.'), otherNumbers.split('.'), '0');
  if (order !== 0) return order;
  if (before === undefined || otherBefore === undefined) {
    return Number(before === undefined) - Number(otherBefore === undefined);
  }
  return compareLists(before.split('.'), otherBefore.split('.'));
}

/** Whether a version is a pre-release. */
export function isPrerelease(version: string): boolean {
  return separated.exec(version)?.[2] !== undefined;
}

/** The highest version, preferring releases. */
export function latestOf<T extends { readonly version: string }>(versions: readonly T[]): T | undefined {
  const releases = versions.filter(({ version }) => !isPrerelease(version));
  const candidates = releases.length > 0 ? releases : versions;
  return candidates.toSorted((one, other) => compareVersions(other.version, one.version))[0];
}
