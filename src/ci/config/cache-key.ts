import { createHash } from 'node:crypto';
import type { CacheEntry } from './cache.ts';
import type { RepositoryFacts } from './context.ts';
import type { PlannedCache } from './plan.ts';

/** A key made of files changes with them: the digest of their ids, or `default` where none of them is there. */
export async function resolveCache(cache: CacheEntry, repository: RepositoryFacts): Promise<PlannedCache> {
  const { key } = cache;
  if (typeof key === 'string') return { ...cache, key };
  const ids = [...new Set(await repository.fileIds(key.kind, key.files))].sort();
  const digest = ids.length === 0 ? 'default' : createHash('sha1').update(ids.join('-')).digest('hex');
  return { ...cache, key: key.prefix === null ? digest : `${key.prefix}-${digest}` };
}
