import type { Commit } from '../../../platform/git/objects/commit.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';
import type { Tag } from '../../../platform/git/objects/tag.ts';

/** The target of a ref: the annotated tag, if any, and the commit, if it resolves to one. */
export interface Peeled {
  readonly tag: Tag | null;
  readonly commit: Commit | null;
}

// Tags may point to tags; this limits the chain.
const MAX_DEPTH = 20;

/** Resolves annotated tags to a commit. */
export function peelTag(objects: Objects, oid: string): Promise<Peeled> {
  const bytes = ({ tag, commit }: Peeled) => 1000 + (tag?.message.length ?? 0) + (commit?.message.length ?? 0);
  return objects.derived('peeled', oid, bytes, () => peel(objects, oid));
}

async function peel(objects: Objects, oid: string): Promise<Peeled> {
  let tag: Tag | null = null;
  let at = oid;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const info = await objects.info(at);
    if (info.status !== 'found') break;
    if (info.type === 'commit') return { tag, commit: await objects.commit(at) };
    const next = info.type === 'tag' ? await objects.tag(at) : null;
    if (!next) break;
    tag ??= next;
    at = next.object;
  }
  return { tag, commit: null };
}
