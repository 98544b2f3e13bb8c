import type { Commit } from '../../../platform/git/objects/commit.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';
import type { Tag } from '../../../platform/git/objects/tag.ts';

/** What a ref points to: an annotated tag or not, and the commit behind it, if it is one. */
export interface Peeled {
  readonly tag: Tag | null;
  readonly commit: Commit | null;
}

// A tag may stand for a tag; nobody means more than a few.
const MAX_DEPTH = 20;

/** Follows annotated tags to the commit they stand for. */
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
