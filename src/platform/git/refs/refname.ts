// Control characters, spaces, characters of the revision syntax, empty parts, parts starting with a dot, and names that
// would collide with the lock file of another ref ("a/b.lock").
const FORBIDDEN = /[^\x21-\x7e\x80-\uffff]|[~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[/.]|[/.]$/;
const PART_BYTES = 250;

/**
 * Whether git accepts a full ref name: the rules of `git check-ref-format`, which concern ASCII only, and a length
 * limit, because a ref is also a file name.
 */
export function isRefName(ref: string): boolean {
  if (FORBIDDEN.test(ref) || !ref.includes('/')) return false;
  const bytes = Buffer.byteLength(ref);
  if (bytes <= PART_BYTES) return true;
  return bytes <= 1024 && ref.split('/').every((part) => Buffer.byteLength(part) <= PART_BYTES);
}

/** Whether this is the full name of a branch that git accepts. */
export function isBranchRef(ref: string): boolean {
  return ref.startsWith('refs/heads/') && isRefName(ref);
}

/**
 * Whether the short name is valid for a branch. Names that look like object ids are rejected separately at creation.
 */
export function isBranchName(name: string): boolean {
  if (name === 'HEAD' || name.startsWith('-')) return false;
  if (name.startsWith('refs/heads/') || name.startsWith('refs/remotes/')) return false;
  return isRefName(`refs/heads/${name}`);
}

/** Whether the short name is valid for a tag. */
export function isTagName(name: string): boolean {
  if (name === 'HEAD' || name.startsWith('-')) return false;
  if (name.startsWith('refs/heads/') || name.startsWith('refs/remotes/')) return false;
  return isRefName(`refs/tags/${name}`);
}

/** Whether a name starts like a full object id and could be mistaken for one. */
export function looksLikeObjectId(name: string): boolean {
  return /^[0-9a-f]{40}/i.test(name);
}

/** Whether this is a full object id as git prints it. */
export function isObjectId(id: string): boolean {
  return /^[0-9a-f]{40}$/.test(id);
}
