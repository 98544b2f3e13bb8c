const segment = /^[a-z0-9][a-z0-9._-]{0,127}$/;

/**
 * Throws unless the key is safe as a path on every file system and as a name in object stores: lower case, because some
 * file systems take `A` and `a` for one file; no leading dot, which leaves `..` and our own `.incoming` out of reach.
 */
export function checkKey(key: string): void {
  const wellFormed = key.length <= 512 && key.split('/').every((part) => segment.test(part));
  if (!wellFormed) throw new Error(`not a storage key: ${JSON.stringify(key.slice(0, 100))}`);
}
