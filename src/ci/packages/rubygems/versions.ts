const pattern = /^\d+(?:\.[\dA-Za-z]+)*$/;

/** Whether a text is a version as gems have them. */
export function isGemVersion(text: string): boolean {
  return text.length <= 100 && pattern.test(text);
}

/** Whether it is one of before a release, which letters say. */
export function isGemPrerelease(version: string): boolean {
  return /[A-Za-z]/.test(version);
}

/** The numbers and words of a version: `1.0.rc10` is 1, 0, rc, 10. */
const segments = (version: string): string[] => version.match(/\d+|[A-Za-z]+/g) ?? [];

const isNumber = (segment: string) => /^\d/.test(segment);

function compareSegments(one: string, other: string): number {
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? 1 : -1;
  if (!isNumber(one)) return Number(one > other) - Number(one < other);
  const [a, b] = [BigInt(one), BigInt(other)];
  return Number(a > b) - Number(a < b);
}

/** The order that RubyGems has versions in: words stand before numbers, and what is missing is zero. */
export function compareGemVersions(one: string, other: string): number {
  const [ours, theirs] = [segments(one), segments(other)];
  for (let place = 0; place < Math.max(ours.length, theirs.length); place += 1) {
    const order = compareSegments(ours[place] ?? '0', theirs[place] ?? '0');
    if (order !== 0) return order;
  }
  return 0;
}
