import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { IssueLinkRow } from '../tables.ts';

/** So many links of one issue are shown. */
const mostLinks = 1000;

/** The links of an issue, from either end, oldest first. */
export function linksOf(db: Reader, issueId: number): Promise<IssueLinkRow[]> {
  return db
    .selectFrom('issue_links')
    .selectAll()
    .where(({ or, eb }) => or([eb('source_id', '=', issueId), eb('target_id', '=', issueId)]))
    .orderBy('id')
    .limit(mostLinks)
    .execute();
}

export function findLink(db: Reader, id: number): Promise<IssueLinkRow | undefined> {
  return db.selectFrom('issue_links').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The link between two issues, whichever of them it starts from. */
export function linkBetween(db: Reader, one: number, other: number): Promise<IssueLinkRow | undefined> {
  return db
    .selectFrom('issue_links')
    .selectAll()
    .where(({ or, and, eb }) =>
      or([
        and([eb('source_id', '=', one), eb('target_id', '=', other)]),
        and([eb('source_id', '=', other), eb('target_id', '=', one)]),
      ]),
    )
    .executeTakeFirst();
}

/** Nothing where they were linked in the meantime. */
export function insertLink(
  trx: Writer,
  link: Pick<IssueLinkRow, 'source_id' | 'target_id' | 'link_type'>,
): Promise<IssueLinkRow | undefined> {
  const now = Date.now();
  return trx
    .insertInto('issue_links')
    .values({ ...link, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function deleteLink(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('issue_links').where('id', '=', id).execute();
}

/** Whatever is linked with one issue is linked with another instead; the numbers of those that block or are blocked. */
export async function moveLinks(trx: Writer, from: number, to: number): Promise<number[]> {
  const change = { updated_at: Date.now() };
  const links = trx.updateTable('issue_links').returning(['source_id', 'link_type']);
  const moved = [
    ...(await links
      .set({ ...change, source_id: to })
      .where('source_id', '=', from)
      .execute()),
    ...(await links
      .set({ ...change, target_id: to })
      .where('target_id', '=', from)
      .execute()),
  ];
  return moved.filter(({ link_type }) => link_type === 'blocks').map(({ source_id }) => source_id);
}

/** The issues that block this one. */
export async function blockersOf(db: Reader, issueId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('issue_links')
    .select('source_id')
    .where('target_id', '=', issueId)
    .where('link_type', '=', 'blocks')
    .execute();
  return rows.map(({ source_id }) => source_id);
}

/** Counts anew how many open issues each of these blocks; `except` is about to be removed. */
export async function recountBlocked(trx: Writer, ids: readonly number[], except = 0): Promise<void> {
  if (ids.length === 0) return;
  const count = sql<number>`(select count(*) from issue_links join issues as blocked on blocked.id = issue_links.target_id
    where issue_links.source_id = issues.id and issue_links.link_type = 'blocks' and blocked.state = 'opened'
      and blocked.id <> ${except})`;
  await trx.updateTable('issues').set({ blocking_issues_count: count }).where('id', 'in', ids).execute();
}
