import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { isObjectId } from '../../../platform/git/refs/refname.ts';
import { repositoryExists } from '../../../platform/git/repository.ts';

/** A revision and the path after it. */
export interface RefAndPath {
  readonly ref: string;
  readonly path: string;
}

/** Maximum number of segments of a ref name, so that a URL with a thousand slashes does not cost a thousand lookups. */
const maxDepth = 32;
const kinds = { heads: 'refs/heads/', tags: 'refs/tags/' } as const;

/** Disambiguates a branch and a tag of the same name. */
export type RefType = keyof typeof kinds;

/**
 * Splits `feature/x/src/a.ts` into ref and path, both of which may contain slashes. Picks the longest existing ref, or
 * else the first segment, which may be any revision. With `whole` the path may be empty.
 */
export async function splitRefAndPath(
  services: Services,
  subject: ProjectSubject,
  text: string,
  { type, whole = false }: { readonly type?: RefType; readonly whole?: boolean } = {},
): Promise<RefAndPath> {
  const parts = text.split('/');
  const [first = ''] = parts;
  const after = (count: number) => parts.slice(count).join('/');
  const repo = services.git.repository(subject.project.id);
  const empty = subject.project.empty_repo === 1 && !(await repositoryExists(repo));
  if (empty || isObjectId(first.toLowerCase())) return { ref: first, path: after(1) };
  const prefixes = type ? [kinds[type]] : Object.values(kinds);
  let length = 0;
  for (let count = 1; count <= Math.min(parts.length - (whole ? 0 : 1), maxDepth); count++) {
    const name = parts.slice(0, count).join('/');
    const found = await Promise.all(prefixes.map((prefix) => services.git.readRef(repo, prefix + name)));
    if (found.some((oid) => oid !== null)) length = count;
  }
  if (length === 0) return { ref: first, path: after(1) };
  const name = parts.slice(0, length).join('/');
  return { ref: type ? kinds[type] + name : name, path: after(length) };
}
