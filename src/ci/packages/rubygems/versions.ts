const pattern = /^\d+(?:\.[\dA-Za-z]+)*$/;

/** Whether a string is a valid gem version. */
export function isGemVersion(text: string): boolean {
  return text.length <= 100 && pattern.test(text);
}

/** Whether a version is a pre-release, which is marked by letters. */
export function isGemPrerelease(version: string): boolean {
  return /[A-Za-z]/.test(version);
}

/** Numeric and alphabetic segments of a version: `1.0.rc10` becomes 1, 0, rc, 10. */
const segments = (version: string): string[] => version.match(/\d+|[A-Za-z]+/g) ?? [];

const isNumber = (segment: string) => /^\d/.test(segment);

function compareSegments(one: string, other: string): number {
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? 1 : -1;
  if (!isNumber(one)) return Number(one > other) - Number(one < other);
  const [a, b] = [BigInt(one), BigInt(other)];
  return Number(a > b) - Number(a < b);
}

/** Compares versions like RubyGems: letters sort before numbers, and missing segments count as zero. */
export function compareGemVersions(one: string, other: string): number {
  const [ours, theirs] = [segments(one), segments(other)];
  for (let place = 0; place < Math.max(ours.length, theirs.length); place += 1) {
    const order = compareSegments(ours[place] ?? '0', theirs[place] ?? '0');
    if (order !== 0) return order;
  }
  return 0;
}
