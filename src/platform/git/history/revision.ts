import type { Objects } from '../objects/objects.ts';
import { isObjectId } from '../refs/refname.ts';

/** The result of resolving a caller's revision. */
export interface ResolvedRevision {
  readonly commit: string;
  /** Full ref name, when the revision was a ref without a suffix. */
  readonly ref: string | null;
}

// Ref names contain neither `~` nor `^`.
const SUFFIX = /^([^~^]*)((?:[~^]\d{0,5})*)$/;

/**
 * Resolves a caller's revision to a commit: a full id, a branch, a tag, a full ref name, HEAD, or an unambiguous short
 * id, each optionally followed by `~n` and `^n`; null for anything else.
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

/** Resolves `id~n^m`; the result never changes and is cached. */
function ancestor(objects: Objects, spec: string): Promise<string | null> {
  const size = () => 100;
  return objects.derived('ancestor', spec, size, () => objects.commitId(spec));
}

/** Returns the full names that a short name may stand for, in git's order: tags before branches. */
function candidates(name: string): string[] {
  const whole = name.startsWith('refs/') ? [name] : [];
  const rooted = /^(?:heads|tags)\//.test(name) ? [`refs/${name}`] : [];
  return [...whole, ...rooted, `refs/tags/${name}`, `refs/heads/${name}`];
}

async function resolveBase(objects: Objects, base: string): Promise<ResolvedRevision | null> {
  if (base.startsWith('-')) return null;
  // A full id is always an id, even if a branch has the same name.
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
  // If several objects share the prefix, git picks the only commit.
  const commit = await objects.commitId(`${base}^{commit}`);
  return commit ? { commit, ref: null } : null;
}
