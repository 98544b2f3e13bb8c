import { trimTrailing } from '../../platform/trim.ts';
import type { Entity } from '../frame/api.ts';
import { type ProjectContext, pageNotFound } from '../namespaces/project.ts';

/** A ref with its commit, and a path in it. */
export interface PathAtRef {
  readonly ref: string;
  readonly path: string;
  readonly commit: Entity;
}

const longest = 8;

/**
 * Splits `feature/login/src/a.ts` into a ref and a path. Git forbids a branch below another, so at most one prefix is a
 * ref; the shortest is tried first, since most names have no slash.
 */
export async function splitRef({ visit, api }: ProjectContext, address: string): Promise<PathAtRef> {
  const parts = address.split('/');
  for (let length = 1; length <= Math.min(parts.length, longest); length += 1) {
    const ref = parts.slice(0, length).join('/');
    if (ref === '') continue;
    const commit = await visit.api.maybe(`${api}/repository/commits/${encodeURIComponent(ref)}`, { stats: false });
    if (commit) return { ref, commit, path: trimTrailing(parts.slice(length).join('/'), '/') };
  }
  throw pageNotFound();
}
