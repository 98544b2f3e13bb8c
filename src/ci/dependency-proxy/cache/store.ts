import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';

/** Number and size of the manifests and blobs cached for a group. */
export async function totals(db: Reader, groupId: number) {
  const count = (table: 'dependency_proxy_manifests' | 'dependency_proxy_blobs') =>
    db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .select(sql<number>`coalesce(sum(size), 0)`.as('size'))
      .where('group_id', '=', groupId)
      .executeTakeFirstOrThrow();
  const [manifests, blobs] = await Promise.all([count('dependency_proxy_manifests'), count('dependency_proxy_blobs')]);
  return {
    manifests: Number(manifests.rows),
    blobs: Number(blobs.rows),
    size: Number(manifests.size) + Number(blobs.size),
  };
}

/** Cache size of each group including its subgroups. */
export async function cacheSizesBelow(db: Reader, groupIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (groupIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('dependency_proxy_blobs as b', 'b.group_id', 'a.namespace_id')
    .select(['a.ancestor_id as id', sql<number>`sum(b.size)`.as('size')])
    .where('a.ancestor_id', 'in', [...groupIds])
    .groupBy('a.ancestor_id')
    .execute();
  return new Map(rows.map(({ id, size }) => [id, Number(size)]));
}

const columns = ['id', 'image', 'digest', 'media_type', 'size', 'created_at', 'read_at'] as const;

export function listManifests(db: Reader, groupId: number, slice: Slice) {
  const query = db.selectFrom('dependency_proxy_manifests').select(columns).where('group_id', '=', groupId);
  return fetchPage(db, query.orderBy('id', 'desc'), slice);
}

/** Tags that point to each of the given manifests, by manifest ID. */
export async function tagsOf(db: Reader, manifestIds: readonly number[]): Promise<ReadonlyMap<number, string[]>> {
  if (manifestIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('dependency_proxy_tags')
    .select(['manifest_id', 'name'])
    .where('manifest_id', 'in', [...manifestIds])
    .orderBy('name')
    .execute();
  const found = Map.groupBy(rows, ({ manifest_id }) => manifest_id);
  return new Map([...found].map(([id, tags]) => [id, tags.map(({ name }) => name)]));
}

export function listBlobs(db: Reader, groupId: number, slice: Slice) {
  const query = db.selectFrom('dependency_proxy_blobs').selectAll().where('group_id', '=', groupId);
  return fetchPage(db, query.orderBy('id', 'desc'), slice);
}

/** Groups with an enabled TTL policy, in batches by ID. */
export function groupsWithTtl(db: Reader, after: number, limit: number) {
  return db
    .selectFrom('dependency_proxy_settings')
    .select(['group_id', 'ttl'])
    .where('group_id', '>', after)
    .where('ttl_enabled', '=', 1)
    .orderBy('group_id')
    .limit(limit)
    .execute();
}

/** Deletes a batch of manifests last pulled before an instant. Returns the number of deleted rows. */
export async function deleteManifests(trx: Writer, groupId: number, before: number, limit: number): Promise<number> {
  const batch = trx
    .selectFrom('dependency_proxy_manifests')
    .select('id')
    .where('group_id', '=', groupId)
    .where('read_at', '<', before)
    .orderBy('read_at')
    .limit(limit);
  const { numDeletedRows } = await trx
    .deleteFrom('dependency_proxy_manifests')
    .where('id', 'in', batch)
    .where('read_at', '<', before)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Detaches blobs last pulled before an instant from their group. */
export async function detachBlobs(trx: Writer, groupId: number, before: number): Promise<void> {
  await trx
    .updateTable('dependency_proxy_blobs')
    .set({ group_id: null })
    .where('group_id', '=', groupId)
    .where('read_at', '<', before)
    .execute();
}

/** Deletes a batch of blobs without a group. Returns the storage keys of their files. */
export async function deleteDetachedBlobs(trx: Writer, limit: number): Promise<string[]> {
  const batch = trx
    .selectFrom('dependency_proxy_blobs')
    .select('id')
    .where('group_id', 'is', null)
    .orderBy('id')
    .limit(limit);
  const rows = await trx
    .deleteFrom('dependency_proxy_blobs')
    .where('id', 'in', batch)
    .returning('storage_key')
    .execute();
  return rows.map(({ storage_key }) => storage_key);
}
