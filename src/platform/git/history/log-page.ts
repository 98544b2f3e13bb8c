import type { Objects } from '../objects/objects.ts';
import { followedIds } from './follow.ts';
import { commitIds, type LogOptions, type LogQuery, type Slowly } from './log.ts';

/** A log from full ids of commits, `^id` for what is left out; or from every ref that clients may see. */
export type PagedLog = Omit<LogQuery, 'skip' | 'limit'>;

/**
 * One page of a log, by one process of git for most; it depends on the ids of the commits alone, so it is read once. A
 * log from every ref is read each time.
 */
export function logPage(
  objects: Objects,
  query: PagedLog,
  page: { readonly offset: number; readonly limit: number },
  slowly: Slowly,
): Promise<readonly string[]> {
  const work = (limits: LogOptions) => read(objects, query, page, limits);
  if (query.all) return slowly(work);
  const { offset, limit } = page;
  const key = JSON.stringify([query, offset, limit]);
  const bytes = (ids: readonly string[]) => 64 * ids.length;
  return objects.derivedSlowly<readonly string[]>('log', key, bytes, slowly, work);
}

async function read(
  objects: Objects,
  { path, ...query }: PagedLog,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  limits: LogOptions,
): Promise<string[]> {
  if (!query.follow || path === undefined) {
    return commitIds(objects.repo, { ...query, path, skip: offset, limit }, limits);
  }
  // git skips commits before it follows renames, so that those that do not touch the file would count as skipped.
  return (await followedIds(objects.repo, { ...query, path }, offset + limit, limits)).slice(offset);
}
