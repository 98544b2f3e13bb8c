import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { BlobRow, ManifestRow, NewBlobRow, NewManifestRow, SettingsRow } from '../tables.ts';

/** Whether a project lies in a group, or in one below it. */
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

interface Place {
  readonly groupId: number;
  readonly image: string;
}

export function manifestOfDigest(db: Reader, { groupId, image }: Place, digest: string) {
  return db
    .selectFrom('dependency_proxy_manifests')
    .selectAll()
    .where('group_id', '=', groupId)
    .where('image', '=', image)
    .where('digest', '=', digest)
    .executeTakeFirst();
}

/** What a tag stood for when somebody last asked. */
export function manifestOfTag(db: Reader, { groupId, image }: Place, tag: string): Promise<ManifestRow | undefined> {
  return db
    .selectFrom('dependency_proxy_tags as t')
    .innerJoin('dependency_proxy_manifests as m', 'm.id', 't.manifest_id')
    .selectAll('m')
    .where('t.group_id', '=', groupId)
    .where('t.image', '=', image)
    .where('t.name', '=', tag)
    .executeTakeFirst();
}

/** Keeps a manifest that has been pulled, or notes that it was pulled again; its number. */
export async function keepManifest(trx: Writer, row: NewManifestRow): Promise<number> {
  const { id } = await trx
    .insertInto('dependency_proxy_manifests')
    .values(row)
    .onConflict((conflict) => conflict.columns(['group_id', 'image', 'digest']).doUpdateSet({ read_at: row.read_at }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function keepTag(trx: Writer, { groupId, image }: Place, name: string, manifestId: number): Promise<void> {
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

/** Keeps a blob that has been pulled; false where the group has come to have it meanwhile. */
export async function keepBlob(trx: Writer, row: NewBlobRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows: made } = await trx
    .insertInto('dependency_proxy_blobs')
    .values(row)
    .onConflict((conflict) => conflict.columns(['group_id', 'digest']).doNothing())
    .executeTakeFirst();
  return Number(made ?? 0) > 0;
}

export async function noteBlobRead(trx: Writer, id: number, now: number): Promise<void> {
  await trx.updateTable('dependency_proxy_blobs').set({ read_at: now }).where('id', '=', id).execute();
}

/** Gives up a blob whose file is gone. */
export async function loseBlob(trx: Writer, id: number): Promise<void> {
  await trx.updateTable('dependency_proxy_blobs').set({ group_id: null }).where('id', '=', id).execute();
}
