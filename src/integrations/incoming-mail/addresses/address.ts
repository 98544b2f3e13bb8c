const placeholder = '%{key}';

/** Servers need not take a longer name before the `@` (RFC 5321, 4.5.3.1.1). */
const longestName = 64;

/** The address that a key makes of the one in the settings. */
export function addressFor(pattern: string, key: string): string {
  return pattern.replace(placeholder, () => key);
}

/** How long a key can be in an address that every server takes. */
export function roomForKey(pattern: string): number {
  return longestName - (pattern.slice(0, pattern.lastIndexOf('@')).length - placeholder.length);
}

/** The key in an address; undefined for one that is not ours. Some servers change the case of letters on the way. */
export function keyIn(pattern: string, address: string): string | undefined {
  const [before = '', after = ''] = pattern.toLowerCase().split(placeholder);
  const given = address.trim().toLowerCase();
  const long = given.length > before.length + after.length;
  if (!long || !given.startsWith(before) || !given.endsWith(after)) return undefined;
  return given.slice(before.length, given.length - after.length);
}
