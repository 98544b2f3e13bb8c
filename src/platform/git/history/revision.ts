import type { Objects } from '../objects/objects.ts';
import { isObjectId } from '../refs/refname.ts';

/** What a caller's revision turned out to be. */
export interface ResolvedRevision {
  readonly commit: string;
  /** The full name of the ref, when it was one and nothing was appended to it. */
  readonly ref: string | null;
}

// No name of a ref has either sign in it.
const SUFFIX = /^([^~^]*)((?:[~^]\d{0,5})*)$/;

/**
 * The commit that a caller's revision stands for: a full id, a branch, a tag, a full ref name, HEAD, or an unambiguous
 * short id, each perhaps followed by `~n` and `^n`; null when it is none of them.
 *
 * git's own syntax is far wider (`:/text` walks the whole history, `@{u}`, `^{/text}`): a caller's text never reaches
 * git, only a ref name or hex digits that passed these checks.
 */
export async function resolveRevision(objects: Objects, revision: string): Promise<ResolvedRevision | null> {
  const [, base = revision, suffix = ''] = SUFFIX.exec(revision) ?? [];
  const found = await resolveBase(objects, base);
  if (!found || suffix === '') return found;
  const commit = await ancestor(objects, `${found.commit}${suffix}`);
  return commit ? { commit, ref: null } : null;
}

/** What lies so many steps behind a commit never changes. */
function ancestor(objects: Objects, spec: string): Promise<string | null> {
  const size = () => 100;
  return objects.derived('ancestor', spec, size, () => objects.commitId(spec));
}

/** The full names that a short name may stand for, in the order of git: a tag comes before a branch of its name. */
function candidates(name: string): string[] {
  const whole = name.startsWith('refs/') ? [name] : [];
  const rooted = /^(?:heads|tags)\//.test(name) ? [`refs/${name}`] : [];
  return [...whole, ...rooted, `refs/tags/${name}`, `refs/heads/${name}`];
}

async function resolveBase(objects: Objects, base: string): Promise<ResolvedRevision | null> {
  if (base.startsWith('-')) return null;
  // A full id is always an id, even if somebody managed to name a branch like it.
  if (isObjectId(base.toLowerCase())) {
    const commit = await objects.commitId(base.toLowerCase());
    if (commit) return { commit, ref: null };
  }
  if (base === 'HEAD' || base === '@') {
    const commit = await objects.commitId('HEAD');
    return commit ? { commit, ref: 'HEAD' } : null;
  }
  for (const ref of candidates(base)) {
    const oid = await objects.ref(ref);
    const commit = oid && (await objects.commitId(oid));
    if (commit) return { commit, ref };
  }
  if (!/^[0-9a-f]{4,39}$/i.test(base)) return null;
  // Of several objects that begin so, git takes the only commit.
  const commit = await objects.commitId(`${base}^{commit}`);
  return commit ? { commit, ref: null } : null;
}
