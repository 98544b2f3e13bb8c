import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { WikiPageRow } from './tables.ts';

const owned = ({ project_id }: OwnerColumns) => (project_id === null ? 'namespace_id' : 'project_id');
const ownerId = ({ project_id, namespace_id }: OwnerColumns) => project_id ?? namespace_id ?? 0;

/** Page IDs by slug; pages without notes may not have one yet. */
export async function pageNumbers(
  db: Reader,
  owner: OwnerColumns,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (let at = 0; at < slugs.length; at += 500) {
    const rows = await db
      .selectFrom('wiki_pages')
      .select(['id', 'slug'])
      .where(owned(owner), '=', ownerId(owner))
      .where('slug', 'in', slugs.slice(at, at + 500))
      .execute();
    for (const { id, slug } of rows) found.set(slug, id);
  }
  return found;
}

/** Returns the ID of a page, which is assigned if it has none. */
export async function ensurePage(trx: Writer, owner: OwnerColumns, slug: string): Promise<number> {
  const known = (await pageNumbers(trx, owner, [slug])).get(slug);
  if (known !== undefined) return known;
  const inserted = await trx
    .insertInto('wiki_pages')
    .values({ ...owner, slug, created_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted?.id ?? (await pageNumbers(trx, owner, [slug])).get(slug) ?? 0;
}

export function pageOfPlace(db: Reader, owner: OwnerColumns, id: number): Promise<WikiPageRow | undefined> {
  return db
    .selectFrom('wiki_pages')
    .selectAll()
    .where('id', '=', id)
    .where(owned(owner), '=', ownerId(owner))
    .executeTakeFirst();
}

export function pagesById(db: Reader, ids: readonly number[]): Promise<WikiPageRow[]> {
  return db.selectFrom('wiki_pages').selectAll().where('id', 'in', ids).execute();
}

/** Changes the slug of a page, keeping its ID. */
export async function renamePage(trx: Writer, id: number, slug: string): Promise<void> {
  await trx.updateTable('wiki_pages').set({ slug }).where('id', '=', id).execute();
}

export async function deletePage(trx: Writer, owner: OwnerColumns, slug: string): Promise<void> {
  await trx.deleteFrom('wiki_pages').where(owned(owner), '=', ownerId(owner)).where('slug', '=', slug).execute();
}
