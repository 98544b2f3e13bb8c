import type { Objects } from './objects.ts';
import { isObjectId, isRefName } from './refname.ts';

/** Which of a branch and a tag of the same name is meant. */
export type Preference = 'branch' | 'tag';

/** What a caller's revision turned out to be. */
export interface ResolvedRevision {
  readonly commit: string;
  /** The full name of the ref, when it was one and nothing was appended to it. */
  readonly ref: string | null;
}

const SUFFIX = /^(.*?)((?:[~^]\d{0,5})*)$/s;

/**
 * The commit that a caller's revision stands for: a full id, a branch, a tag, a full ref name, HEAD, or an unambiguous
 * short id, each perhaps followed by `~n` and `^n`; null when it is none of them.
 *
 * git's own syntax is far wider (`:/text` walks the whole history, `@{u}`, `^{/text}`): a caller's text never reaches
 * git, only a ref name or hex digits that passed these checks.
 */
export async function resolveRevision(
  objects: Objects,
  revision: string,
  prefer: Preference = 'branch',
): Promise<ResolvedRevision | null> {
  const [, base = '', suffix = ''] = SUFFIX.exec(revision) ?? [];
  const found = await resolveBase(objects, base, prefer);
  if (!found || suffix === '') return found;
  const commit = await objects.commitId(`${found.commit}${suffix}`);
  return commit ? { commit, ref: null } : null;
}

/** The full names that a short name may stand for, best first. */
export function refCandidates(name: string, prefer: Preference): string[] {
  const branch = `refs/heads/${name}`;
  const tag = `refs/tags/${name}`;
  const candidates = prefer === 'branch' ? [branch, tag] : [tag, branch];
  if (name.startsWith('refs/')) candidates.push(name);
  return candidates.filter(isRefName);
}

async function resolveBase(objects: Objects, base: string, prefer: Preference): Promise<ResolvedRevision | null> {
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
  for (const ref of refCandidates(base, prefer)) {
    const oid = await objects.ref(ref);
    const commit = oid && (await objects.commitId(oid));
    if (commit) return { commit, ref };
  }
  if (!/^[0-9a-f]{4,39}$/i.test(base)) return null;
  // Of several objects that begin so, git takes the only commit.
  const commit = await objects.commitId(`${base}^{commit}`);
  return commit ? { commit, ref: null } : null;
}
