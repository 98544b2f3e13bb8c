import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { RepositoryRow } from '../tables.ts';

export function listOfProject(db: Reader, projectId: number, slice: Slice) {
  const query = db.selectFrom('registry_repositories').selectAll().where('project_id', '=', projectId).orderBy('id');
  return fetchPage(db, query, slice);
}

export function repositoryById(db: Reader, id: number): Promise<RepositoryRow | undefined> {
  return db.selectFrom('registry_repositories').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function updateRepository(trx: Writer, id: number, change: Partial<RepositoryRow>): Promise<void> {
  await trx.updateTable('registry_repositories').set(change).where('id', '=', id).execute();
}

/** Number of tags by repository; repositories without tags are left out. */
export async function tagCounts(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('registry_tags')
    .select(['repository_id', sql<number>`count(*)`.as('count')])
    .where('repository_id', 'in', [...ids])
    .groupBy('repository_id')
    .execute();
  return new Map(rows.map(({ repository_id, count }) => [repository_id, Number(count)]));
}

/** Returns the first tags of each repository by name. Reads at most `limit` rows per repository. */
export async function firstTags(db: Reader, ids: readonly number[], limit: number) {
  if (ids.length === 0) return [];
  const first = ids.map(
    (id) => sql`select * from (select repository_id, name from registry_tags where repository_id = ${id}
      order by name limit ${sql.lit(limit)}) as first_of_one`,
  );
  const found = sql<{ repository_id: number; name: string }>`${sql.join(first, sql` union all `)}`;
  return (await found.execute(db)).rows;
}

export function listTags(db: Reader, repositoryId: number, slice: Slice) {
  const query = db.selectFrom('registry_tags').select('name').where('repository_id', '=', repositoryId).orderBy('name');
  return fetchPage(db, query, slice);
}

/** A tag with details of its manifest. */
export function tagDetail(db: Reader, repositoryId: number, name: string) {
  return db
    .selectFrom('registry_tags as t')
    .innerJoin('registry_manifests as m', 'm.id', 't.manifest_id')
    .select(['t.id', 't.name', 't.manifest_id', 't.updated_at', 'm.digest', 'm.config_digest', 'm.total_size'])
    .where('t.repository_id', '=', repositoryId)
    .where('t.name', '=', name)
    .executeTakeFirst();
}

/** Total size of the distinct blobs of a repository. */
export async function repositorySize(db: Reader, id: number): Promise<number> {
  const used = db
    .selectFrom('registry_manifest_blobs as u')
    .innerJoin('registry_manifests as m', 'm.id', 'u.manifest_id')
    .select('u.blob_id')
    .where('m.repository_id', '=', id);
  const { size } = await db
    .selectFrom('registry_blobs')
    .select(sql<number>`coalesce(sum(size), 0)`.as('size'))
    .where('id', 'in', used)
    .executeTakeFirstOrThrow();
  return Number(size);
}

/**
 * Deletes a batch of a repository scheduled for deletion, and finally the repository itself. Returns whether more
 * remains. A push in the meantime cancels the deletion and keeps what is left.
 */
export async function deleteBatch(trx: Writer, id: number, limit: number): Promise<boolean> {
  const repository = await lockRow(trx, 'registry_repositories', id, 'remove');
  if (repository?.status !== 'delete_scheduled') return false;
  const batch = await trx
    .selectFrom('registry_manifests')
    .select('id')
    .where('repository_id', '=', id)
    .orderBy('digest')
    .limit(limit)
    .execute();
  if (batch.length === 0) {
    await trx.deleteFrom('registry_repositories').where('id', '=', id).execute();
    return false;
  }
  await trx
    .deleteFrom('registry_manifests')
    .where(
      'id',
      'in',
      batch.map((row) => row.id),
    )
    .execute();
  return true;
}
