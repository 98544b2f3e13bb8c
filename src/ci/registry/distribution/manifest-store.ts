import { type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { ManifestRow, NewManifestRow, RepositoryRow, TagRow } from '../tables.ts';

export function repositoryNamed(db: Reader, projectId: number, name: string): Promise<RepositoryRow | undefined> {
  return db
    .selectFrom('registry_repositories')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/**
 * Returns the repository with a name, creating it if necessary, and locks it until the transaction ends. The lock
 * serializes concurrent tag pushes and prevents pushes to a repository that is being deleted.
 */
export function ensureRepository(trx: Writer, projectId: number, name: string): Promise<RepositoryRow> {
  const now = Date.now();
  return trx
    .insertInto('registry_repositories')
    .values({ project_id: projectId, name, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet({ updated_at: now, status: null }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns which of these blobs a project has, and protects them from garbage collection for a day. */
export async function touchBlobs(trx: Writer, projectId: number, digests: readonly string[]) {
  if (digests.length === 0) return [];
  const blobs = await trx
    .selectFrom('registry_blobs')
    .select(['id', 'digest', 'size'])
    .where('digest', 'in', [...digests])
    .orderBy('id')
    .execute();
  if (blobs.length === 0) return [];
  const taken = await trx
    .updateTable('registry_project_blobs')
    .set({ touched_at: Date.now() })
    .where('project_id', '=', projectId)
    .where(
      'blob_id',
      'in',
      blobs.map(({ id }) => id),
    )
    .returning('blob_id')
    .execute();
  const ids = new Set(taken.map(({ blob_id }) => blob_id));
  return blobs.filter(({ id }) => ids.has(id));
}

/** Returns which of these manifests a repository has, and protects them from garbage collection for a day. */
export async function touchExistingManifests(trx: Writer, repositoryId: number, digests: readonly string[]) {
  if (digests.length === 0) return [];
  return trx
    .updateTable('registry_manifests')
    .set({ touched_at: Date.now() })
    .where('repository_id', '=', repositoryId)
    .where('digest', 'in', [...digests])
    .returning(['id', 'digest', 'total_size'])
    .execute();
}

/** Inserts a manifest with its references, or touches it if it was pushed before. */
export async function ensureManifest(
  trx: Writer,
  row: NewManifestRow,
  { projectId, blobs, children }: { projectId: number; blobs: readonly number[]; children: readonly number[] },
): Promise<number> {
  const { id } = await trx
    .insertInto('registry_manifests')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'digest']).doUpdateSet({
        touched_at: row.touched_at,
        // The same bytes pushed with another media type: the last one applies.
        media_type: row.media_type,
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  if (blobs.length > 0) {
    await trx
      .insertInto('registry_manifest_blobs')
      .values(blobs.map((blob_id) => ({ manifest_id: id, blob_id, project_id: projectId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  if (children.length > 0) {
    await trx
      .insertInto('registry_manifest_children')
      .values(children.map((child_id) => ({ parent_id: id, child_id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return id;
}

export function tagNamed(db: Reader, repositoryId: number, name: string): Promise<TagRow | undefined> {
  return db
    .selectFrom('registry_tags')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Points a tag to a manifest. The previous manifest is kept for another day. */
export async function putTag(trx: Writer, repositoryId: number, name: string, manifestId: number): Promise<void> {
  const now = Date.now();
  const before = await tagNamed(trx, repositoryId, name);
  if (before && before.manifest_id !== manifestId) await touchManifests(trx, [before.manifest_id]);
  await trx
    .insertInto('registry_tags')
    .values({ repository_id: repositoryId, name, manifest_id: manifestId, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'name']).doUpdateSet({ manifest_id: manifestId, updated_at: now }),
    )
    .execute();
}

async function touchManifests(trx: Writer, ids: readonly number[]): Promise<void> {
  await trx
    .updateTable('registry_manifests')
    .set({ touched_at: Date.now() })
    .where('id', 'in', [...ids])
    .execute();
}

/** Deletes tags. Their manifests are kept for another day. */
export async function deleteTags(trx: Writer, tags: readonly Pick<TagRow, 'id' | 'manifest_id'>[]): Promise<void> {
  if (tags.length === 0) return;
  await touchManifests(trx, [...new Set(tags.map(({ manifest_id }) => manifest_id))]);
  await trx
    .deleteFrom('registry_tags')
    .where(
      'id',
      'in',
      tags.map(({ id }) => id),
    )
    .execute();
}

/** Finds a manifest by digest or tag. */
export function findManifest(
  db: Reader,
  repositoryId: number,
  reference: { readonly digest: string } | { readonly tag: string },
): Promise<ManifestRow | undefined> {
  const query = db.selectFrom('registry_manifests as m').selectAll('m').where('m.repository_id', '=', repositoryId);
  if ('digest' in reference) return query.where('m.digest', '=', reference.digest).executeTakeFirst();
  return query
    .innerJoin('registry_tags as t', 't.manifest_id', 'm.id')
    .where('t.repository_id', '=', repositoryId)
    .where('t.name', '=', reference.tag)
    .executeTakeFirst();
}

export function tagsOfManifest(db: Reader, manifestId: number): Promise<TagRow[]> {
  return db.selectFrom('registry_tags').selectAll().where('manifest_id', '=', manifestId).execute();
}

/** Whether an index refers to a manifest. */
export async function isListed(db: Reader, manifestId: number): Promise<boolean> {
  const parent = await db
    .selectFrom('registry_manifest_children')
    .select('parent_id')
    .where('child_id', '=', manifestId)
    .limit(1)
    .executeTakeFirst();
  return parent !== undefined;
}

export async function deleteManifest(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('registry_manifests').where('id', '=', id).execute();
}

/** Tag names in order, after a given name. */
export async function tagNames(db: Reader, repositoryId: number, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('registry_tags')
    .select('name')
    .where('repository_id', '=', repositoryId)
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}

/** Manifests that refer to a subject, in batches by ID. */
export function referrers(
  db: Reader,
  repositoryId: number,
  { subject, artifactType, after }: { subject: string; artifactType: string | undefined; after: number },
  limit: number,
) {
  const query = db
    .selectFrom('registry_manifests')
    .select(['id', 'digest', 'media_type', 'size', 'artifact_type', 'annotations'])
    .where('repository_id', '=', repositoryId)
    .where('subject_digest', '=', subject)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
  const typeFilter = artifactType === undefined ? sql<SqlBool>`true` : sql<SqlBool>`artifact_type = ${artifactType}`;
  return query.where(typeFilter).execute();
}
