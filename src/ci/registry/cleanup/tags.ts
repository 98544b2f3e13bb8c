import type { Services } from '../../../access/services.ts';
import { compileUserRegex } from '../../../platform/user-regex.ts';
import { deleteTags } from '../distribution/manifest-store.ts';
import type { Guard } from '../protection/guard.ts';
import type { TagRow } from '../tables.ts';
import { lockAndRead, newestTags } from './store.ts';

/** Which tags go. */
export interface TagFilter {
  /** Names must match it as a whole. */
  readonly remove: string;
  /** Names that match it stay. */
  readonly keep?: string;
  /** So many of the newest of those that would go stay. */
  readonly keepN?: number;
  /** In seconds: younger ones stay. */
  readonly olderThan?: number;
}

const atOnce = 500;
const whole = (source: string) => compileUserRegex(`^(?:${source})$`);

/** Says of each tag, from the newest to the oldest, whether it goes. */
export function chooser(filter: TagFilter, guard: Guard, now = Date.now()): (tag: TagRow) => boolean {
  const remove = whole(filter.remove);
  const keep = filter.keep === undefined ? undefined : whole(filter.keep);
  let left = filter.keepN ?? 0;
  return ({ name, updated_at }) => {
    if (name === 'latest' || guard.keepsTag(name, 'delete')) return false;
    if (!remove.matches(name) || keep?.matches(name)) return false;
    if (left > 0) {
      left -= 1;
      return false;
    }
    return filter.olderThan === undefined || updated_at < now - filter.olderThan * 1000;
  };
}

/** Removes the tags of a repository that a filter chooses; a tag that was pushed anew in the meantime stays. */
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
    const tags = await newestTags(db.read, repositoryId, last, atOnce);
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
    if (tags.length < atOnce) return removed;
    last = tags.at(-1);
  }
  return removed;
}
