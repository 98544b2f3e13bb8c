import type { Objects } from '../objects/objects.ts';
import { followedIds } from './follow.ts';
import { commitIds, type LogOptions, type LogQuery, type WithProcessSlot } from './log.ts';

/** A log from full commit ids (`^id` excludes), or from every ref visible to clients. */
export type PagedLog = Omit<LogQuery, 'skip' | 'limit'>;

/**
 * Returns one page of a log, usually with one git process. It depends only on the commit ids, so it is cached; a log
 * from all refs is read every time.
 */
export function logPage(
  objects: Objects,
  query: PagedLog,
  page: { readonly offset: number; readonly limit: number },
  slowly: WithProcessSlot,
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
  // git skips commits before it follows renames, so commits that do not touch the file would count as skipped.
  return (await followedIds(objects.repo, { ...query, path }, offset + limit, limits)).slice(offset);
}
