import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { BlobRow, ManifestRow, NewBlobRow, NewManifestRow, SettingsRow } from '../tables.ts';

/** Whether a project belongs to a group or one of its subgroups. */
export async function isProjectInGroup(db: Reader, projectId: number, groupId: number): Promise<boolean> {
  const found = await db
    .selectFrom('projects as p')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
    .select('p.id')
    .where('p.id', '=', projectId)
    .where('a.ancestor_id', '=', groupId)
    .executeTakeFirst();
  return found !== undefined;
}

export function settingsRow(db: Reader, groupId: number): Promise<SettingsRow | undefined> {
  return db.selectFrom('dependency_proxy_settings').selectAll().where('group_id', '=', groupId).executeTakeFirst();
}

interface CachedImage {
  readonly groupId: number;
  readonly image: string;
}

export function manifestOfDigest(db: Reader, { groupId, image }: CachedImage, digest: string) {
  return db
    .selectFrom('dependency_proxy_manifests')
    .selectAll()
    .where('group_id', '=', groupId)
    .where('image', '=', image)
    .where('digest', '=', digest)
    .executeTakeFirst();
}

/** Returns the manifest a tag pointed to when it was last pulled. */
export function manifestOfTag(
  db: Reader,
  { groupId, image }: CachedImage,
  tag: string,
): Promise<ManifestRow | undefined> {
  return db
    .selectFrom('dependency_proxy_tags as t')
    .innerJoin('dependency_proxy_manifests as m', 'm.id', 't.manifest_id')
    .selectAll('m')
    .where('t.group_id', '=', groupId)
    .where('t.image', '=', image)
    .where('t.name', '=', tag)
    .executeTakeFirst();
}

/** Caches a pulled manifest or updates its last pull time. Returns its ID. */
export async function saveManifest(trx: Writer, row: NewManifestRow): Promise<number> {
  const { id } = await trx
    .insertInto('dependency_proxy_manifests')
    .values(row)
    .onConflict((conflict) => conflict.columns(['group_id', 'image', 'digest']).doUpdateSet({ read_at: row.read_at }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function saveTag(
  trx: Writer,
  { groupId, image }: CachedImage,
  name: string,
  manifestId: number,
): Promise<void> {
  await trx
    .insertInto('dependency_proxy_tags')
    .values({ group_id: groupId, image, name, manifest_id: manifestId })
    .onConflict((conflict) => conflict.columns(['group_id', 'image', 'name']).doUpdateSet({ manifest_id: manifestId }))
    .execute();
}

export function blobOfGroup(db: Reader, groupId: number, digest: string): Promise<BlobRow | undefined> {
  return db
    .selectFrom('dependency_proxy_blobs')
    .selectAll()
    .where('group_id', '=', groupId)
    .where('digest', '=', digest)
    .executeTakeFirst();
}

/** Caches a pulled blob. Returns false if the group already has it. */
export async function saveBlob(trx: Writer, row: NewBlobRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted } = await trx
    .insertInto('dependency_proxy_blobs')
    .values(row)
    .onConflict((conflict) => conflict.columns(['group_id', 'digest']).doNothing())
    .executeTakeFirst();
  return Number(inserted ?? 0) > 0;
}

export async function recordBlobRead(trx: Writer, id: number, now: number): Promise<void> {
  await trx.updateTable('dependency_proxy_blobs').set({ read_at: now }).where('id', '=', id).execute();
}

/** Detaches a blob whose file is missing. */
export async function detachBlob(trx: Writer, id: number): Promise<void> {
  await trx.updateTable('dependency_proxy_blobs').set({ group_id: null }).where('id', '=', id).execute();
}
