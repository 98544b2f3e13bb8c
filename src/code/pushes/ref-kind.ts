import { HIDDEN_REFS, SERVER_REFS } from '../../platform/git/process/environment.ts';

/** The kind of a ref for the rules. */
export type RefKind = 'branch' | 'tag' | 'internal' | 'other';

const internal = [...HIDDEN_REFS, ...SERVER_REFS].map((prefix) => `${prefix}/`);

/** Returns the kind of a ref and its short name. */
export function readRef(ref: string): { readonly kind: RefKind; readonly name: string } {
  if (ref.startsWith('refs/heads/')) return { kind: 'branch', name: ref.slice('refs/heads/'.length) };
  if (ref.startsWith('refs/tags/')) return { kind: 'tag', name: ref.slice('refs/tags/'.length) };
  if (internal.some((prefix) => ref.startsWith(prefix)) || !ref.startsWith('refs/'))
    return { kind: 'internal', name: ref };
  return { kind: 'other', name: ref };
}
