import { type Expression, type SqlBool, sql } from 'kysely';
import {
  belongsTo,
  isProject,
  namespaceOf,
  ownerColumnsOf,
  type ProjectOrGroup,
} from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { BadgeRow } from './tables.ts';

/** The badges of a project or group, including those inherited from ancestor groups. */
function visibleIn(owner: ProjectOrGroup): Expression<SqlBool> {
  const inherited = sql<SqlBool>`badges.namespace_id in (
    select a.ancestor_id from namespace_ancestors a where a.namespace_id = ${namespaceOf(owner).id})`;
  return isProject(owner) ? sql<SqlBool>`(badges.project_id = ${owner.project.id} or ${inherited})` : inherited;
}

export function listBadges(db: Reader, owner: ProjectOrGroup, name: string | undefined, slice: Slice) {
  let query = db.selectFrom('badges').selectAll('badges').where(visibleIn(owner));
  if (name !== undefined) query = query.where('badges.name', '=', name);
  return fetchPage(db, query.orderBy('badges.id'), slice);
}

export function findBadge(db: Reader, owner: ProjectOrGroup, id: number): Promise<BadgeRow | undefined> {
  return db
    .selectFrom('badges')
    .selectAll('badges')
    .where('badges.id', '=', id)
    .where(visibleIn(owner))
    .executeTakeFirst();
}

export async function countBadges(db: Reader, owner: ProjectOrGroup): Promise<number> {
  const { count } = await db
    .selectFrom('badges')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(belongsTo('badges', ownerColumnsOf(owner)))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function insertBadge(
  trx: Writer,
  owner: ProjectOrGroup,
  badge: Pick<BadgeRow, 'name' | 'link_url' | 'image_url'>,
): Promise<BadgeRow> {
  const now = Date.now();
  return trx
    .insertInto('badges')
    .values({ ...ownerColumnsOf(owner), ...badge, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function updateBadge(
  trx: Writer,
  id: number,
  change: Partial<Pick<BadgeRow, 'name' | 'link_url' | 'image_url'>>,
): Promise<BadgeRow> {
  return trx
    .updateTable('badges')
    .set({ ...change, updated_at: Date.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteBadge(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('badges').where('id', '=', id).execute();
}

/** The project used to fill in placeholders for a group: its oldest one. */
export async function firstProjectOf(db: Reader, namespaceId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}
