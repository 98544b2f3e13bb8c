const FORBIDDEN = new Set(' ~^:?*[\\\x7f');

// "a/b.lock" would collide with git's own lock of "a/b".
function isComponent(part: string): boolean {
  return part.length > 0 && !part.startsWith('.') && !part.endsWith('.lock');
}

/**
 * Whether git accepts a full ref name: the rules of `git check-ref-format`, which concern ASCII alone, and a bound on
 * the length, since a ref is also a file name.
 */
export function isRefName(ref: string): boolean {
  if (Buffer.byteLength(ref) > 1024 || ref.endsWith('.') || ref.includes('..') || ref.includes('@{')) return false;
  for (const char of ref) {
    if (char < ' ' || FORBIDDEN.has(char)) return false;
  }
  const parts = ref.split('/');
  return parts.length > 1 && parts.every((part) => isComponent(part) && Buffer.byteLength(part) <= 250);
}

/** Whether this is the full name of a branch that git would accept. */
export function isBranchRef(ref: string): boolean {
  return ref.startsWith('refs/heads/') && isRefName(ref);
}

/** Whether a branch or tag may carry this short name; what begins like an object id is refused at creation, apart. */
export function isBranchName(name: string): boolean {
  if (name === 'HEAD' || name.startsWith('-')) return false;
  if (name.startsWith('refs/heads/') || name.startsWith('refs/remotes/')) return false;
  return isRefName(`refs/heads/${name}`);
}

/** Whether a tag may carry this short name. */
export function isTagName(name: string): boolean {
  if (name === 'HEAD' || name.startsWith('-')) return false;
  if (name.startsWith('refs/heads/') || name.startsWith('refs/remotes/')) return false;
  return isRefName(`refs/tags/${name}`);
}

/** Whether a name begins like a full object id, so that it could be mistaken for one. */
export function looksLikeObjectId(name: string): boolean {
  return /^[0-9a-f]{40}/i.test(name);
}

/** Whether this is a full object id as git prints it. */
export function isObjectId(id: string): boolean {
  return /^[0-9a-f]{40}$/.test(id);
}
