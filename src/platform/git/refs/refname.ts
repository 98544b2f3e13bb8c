// A control character, a space, one of those that revisions are written with, an empty part, one that begins with a dot,
// and one that would collide with git's own lock of another ref ("a/b.lock").
const FORBIDDEN = /[^\x21-\x7e\x80-\uffff]|[~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[/.]|[/.]$/;
const PART_BYTES = 250;

/**
 * Whether git accepts a full ref name: the rules of `git check-ref-format`, which concern ASCII alone, and a bound on
 * the length, since a ref is also a file name.
 */
export function isRefName(ref: string): boolean {
  if (FORBIDDEN.test(ref) || !ref.includes('/')) return false;
  const bytes = Buffer.byteLength(ref);
  if (bytes <= PART_BYTES) return true;
  return bytes <= 1024 && ref.split('/').every((part) => Buffer.byteLength(part) <= PART_BYTES);
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
