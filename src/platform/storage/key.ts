const segment = /^[a-z0-9][a-z0-9._-]{0,127}$/;

/**
 * Throws unless the key is safe as a path on every file system and as an object name: lower case, because some file
 * systems do not distinguish `A` and `a`; no leading dot, which excludes `..` and our own `.incoming`.
 */
export function checkKey(key: string): void {
  const wellFormed = key.length <= 512 && key.split('/').every((part) => segment.test(part));
  if (!wellFormed) throw new Error(`not a storage key: ${JSON.stringify(key.slice(0, 100))}`);
}
