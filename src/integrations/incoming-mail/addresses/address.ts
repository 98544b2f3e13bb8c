const placeholder = '%{key}';

/** Maximum length of the local part of an address (RFC 5321, 4.5.3.1.1). */
const longestName = 64;

/** Returns the address with the placeholder of the configured pattern replaced by the key. */
export function addressFor(pattern: string, key: string): string {
  return pattern.replace(placeholder, () => key);
}

/** Maximum length of a key whose address every mail server accepts. */
export function maxKeyLength(pattern: string): number {
  return longestName - (pattern.slice(0, pattern.lastIndexOf('@')).length - placeholder.length);
}

/**
 * Returns the key in an address, or undefined if the address does not match the pattern. Compares case-insensitively,
 * because some mail servers change the case in transit.
 */
export function keyIn(pattern: string, address: string): string | undefined {
  const [before = '', after = ''] = pattern.toLowerCase().split(placeholder);
  const normalized = address.trim().toLowerCase();
  const long = normalized.length > before.length + after.length;
  if (!long || !normalized.startsWith(before) || !normalized.endsWith(after)) return undefined;
  return normalized.slice(before.length, normalized.length - after.length);
}
