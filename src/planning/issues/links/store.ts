import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { IssueLinkRow } from '../tables.ts';

/** Maximum number of links returned for one issue. */
const maxLinks = 1000;

/** Links of an issue in either direction, oldest first. */
export function linksOf(db: Reader, issueId: number): Promise<IssueLinkRow[]> {
  return db
    .selectFrom('issue_links')
    .selectAll()
    .where(({ or, eb }) => or([eb('source_id', '=', issueId), eb('target_id', '=', issueId)]))
    .orderBy('id')
    .limit(maxLinks)
    .execute();
}

export function findLink(db: Reader, id: number): Promise<IssueLinkRow | undefined> {
  return db.selectFrom('issue_links').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The link between two issues, in either direction. */
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

/** Returns undefined if the issues have been linked concurrently. */
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

/** Returns whether the link existed. */
export async function deleteLink(trx: Writer, id: number): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('issue_links').where('id', '=', id).executeTakeFirstOrThrow();
  return Number(numDeletedRows) > 0;
}

/** Moves all links of one issue to another one; returns the IDs of the blocking issues. */
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

/** IDs of the issues that block this one. */
export async function blockersOf(db: Reader, issueId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('issue_links')
    .select('source_id')
    .where('target_id', '=', issueId)
    .where('link_type', '=', 'blocks')
    .execute();
  return rows.map(({ source_id }) => source_id);
}

/** Recomputes the number of open issues that each of these issues blocks; `except` is about to be deleted. */
export async function recountBlocked(trx: Writer, ids: readonly number[], except = 0): Promise<void> {
  if (ids.length === 0) return;
  const count = sql<number>`(select count(*) from issue_links join issues as blocked on blocked.id = issue_links.target_id
    where issue_links.source_id = issues.id and issue_links.link_type = 'blocks' and blocked.state = 'opened'
      and blocked.id <> ${except})`;
  await trx.updateTable('issues').set({ blocking_issues_count: count }).where('id', 'in', ids).execute();
}
