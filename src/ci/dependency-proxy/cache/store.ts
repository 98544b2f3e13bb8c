import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';

/** How much a group keeps. */
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

/** How much the groups at and below each of some keep. */
export async function sizesBelow(db: Reader, groupIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
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

const shown = ['id', 'image', 'digest', 'media_type', 'size', 'created_at', 'read_at'] as const;

export function listManifests(db: Reader, groupId: number, slice: Slice) {
  const query = db.selectFrom('dependency_proxy_manifests').select(shown).where('group_id', '=', groupId);
  return fetchPage(db, query.orderBy('id', 'desc'), slice);
}

/** The tags that stand for some manifests, by their numbers. */
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

/** Some of the groups that want what nobody pulls any more removed, after the one of a number. */
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

/** Removes some of the manifests that were last pulled before an instant; how many. */
export async function deleteManifests(trx: Writer, groupId: number, before: number, limit: number): Promise<number> {
  const some = trx
    .selectFrom('dependency_proxy_manifests')
    .select('id')
    .where('group_id', '=', groupId)
    .where('read_at', '<', before)
    .orderBy('read_at')
    .limit(limit);
  const { numDeletedRows } = await trx
    .deleteFrom('dependency_proxy_manifests')
    .where('id', 'in', some)
    .where('read_at', '<', before)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Takes the blobs from a group that were last pulled before an instant. */
export async function loosenBlobs(trx: Writer, groupId: number, before: number): Promise<void> {
  await trx
    .updateTable('dependency_proxy_blobs')
    .set({ group_id: null })
    .where('group_id', '=', groupId)
    .where('read_at', '<', before)
    .execute();
}

/** Removes some of the blobs that no group has; where their files are. */
export async function deleteLooseBlobs(trx: Writer, limit: number): Promise<string[]> {
  const some = trx
    .selectFrom('dependency_proxy_blobs')
    .select('id')
    .where('group_id', 'is', null)
    .orderBy('id')
    .limit(limit);
  const rows = await trx
    .deleteFrom('dependency_proxy_blobs')
    .where('id', 'in', some)
    .returning('storage_key')
    .execute();
  return rows.map(({ storage_key }) => storage_key);
}
