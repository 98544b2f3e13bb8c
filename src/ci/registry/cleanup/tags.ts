import type { Services } from '../../../access/services.ts';
import { compileUserRegex } from '../../../platform/user-regex.ts';
import { deleteTags } from '../distribution/manifest-store.ts';
import type { Guard } from '../protection/guard.ts';
import type { TagRow } from '../tables.ts';
import { lockAndRead, newestTags } from './store.ts';

/** Selects the tags to delete. */
export interface TagFilter {
  /** Regular expression that must match the whole tag name. */
  readonly remove: string;
  /** Tags that match this regular expression are kept. */
  readonly keep?: string;
  /** Number of the newest matching tags to keep. */
  readonly keepN?: number;
  /** In seconds; newer tags are kept. */
  readonly olderThan?: number;
}

const batchSize = 500;
const fullMatch = (source: string) => compileUserRegex(`^(?:${source})$`);

/** Returns a predicate that selects tags to delete; it must be called from the newest to the oldest tag. */
export function chooser(filter: TagFilter, guard: Guard, now = Date.now()): (tag: TagRow) => boolean {
  const remove = fullMatch(filter.remove);
  const keep = filter.keep === undefined ? undefined : fullMatch(filter.keep);
  let left = filter.keepN ?? 0;
  return ({ name, updated_at }) => {
    if (name === 'latest' || guard.protectsTag(name, 'delete')) return false;
    if (!remove.matches(name) || keep?.matches(name)) return false;
    if (left > 0) {
      left -= 1;
      return false;
    }
    return filter.olderThan === undefined || updated_at < now - filter.olderThan * 1000;
  };
}

/** Deletes the tags of a repository selected by a filter. Tags pushed again in the meantime are kept. */
export async function removeTags(
  { db }: Services,
  repositoryId: number,
  filter: TagFilter,
  guard: Guard,
  signal?: AbortSignal,
): Promise<number> {
  const goes = chooser(filter, guard);
  let removed = 0;
  for (let last: TagRow | undefined; !signal?.aborted; ) {
    const tags = await newestTags(db.read, repositoryId, last, batchSize);
    const toDelete = tags.filter(goes);
    if (toDelete.length > 0) {
      await db.write(async (trx) => {
        const now = new Map((await lockAndRead(trx, repositoryId, toDelete)).map((tag) => [tag.id, tag]));
        await deleteTags(
          trx,
          toDelete.filter((tag) => now.get(tag.id)?.updated_at === tag.updated_at),
        );
      });
    }
    removed += toDelete.length;
    if (tags.length < batchSize) return removed;
    last = tags.at(-1);
  }
  return removed;
}
