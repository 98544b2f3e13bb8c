import { type SqlBool, sql } from 'kysely';
import { incrementCounter } from '../../../namespaces/projects/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { scheduleFileRemoval } from '../distribution/store.ts';
import type { TagRow } from '../tables.ts';

/** Deletes a batch of uploads without progress since `before`. Returns how many. */
export async function endUploads(trx: Writer, before: number, limit: number): Promise<number> {
  const uploads = await trx
    .selectFrom('registry_uploads')
    .select('id')
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(limit)
    .execute();
  for (const { id } of uploads) {
    const chunks = await trx
      .selectFrom('registry_upload_chunks')
      .select('storage_key')
      .where('upload_id', '=', id)
      .execute();
    const { numDeletedRows } = await trx
      .deleteFrom('registry_uploads')
      .where('id', '=', id)
      .where('updated_at', '<', before)
      .executeTakeFirst();
    if (numDeletedRows > 0n) {
      await scheduleFileRemoval(
        trx,
        chunks.map(({ storage_key }) => storage_key),
      );
    }
  }
  return uploads.length;
}

const isUnused = sql<SqlBool>`
  not exists (select 1 from registry_tags t where t.manifest_id = registry_manifests.id)
  and not exists (select 1 from registry_manifest_children c where c.child_id = registry_manifests.id)
  and not exists (
    select 1 from registry_manifests s
    where s.repository_id = registry_manifests.repository_id and s.digest = registry_manifests.subject_digest)`;

/** Deletes a batch of untagged manifests that no index and no subject refers to. Returns how many. */
export async function deleteUnusedManifests(trx: Writer, before: number, limit: number): Promise<number> {
  const unused = await trx
    .selectFrom('registry_manifests')
    .select('id')
    .where('touched_at', '<', before)
    .where(isUnused)
    .orderBy('touched_at')
    .limit(limit)
    .execute();
  if (unused.length === 0) return 0;
  // Conditions are checked again: on PostgreSQL a concurrent push may have touched the manifest since.
  const { numDeletedRows } = await trx
    .deleteFrom('registry_manifests')
    .where(
      'id',
      'in',
      unused.map(({ id }) => id),
    )
    .where('touched_at', '<', before)
    .where(isUnused)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

const isUnneeded = sql<SqlBool>`not exists (
  select 1 from registry_manifest_blobs m
  where m.blob_id = registry_project_blobs.blob_id and m.project_id = registry_project_blobs.project_id)`;

interface Link {
  readonly project_id: number;
  readonly blob_id: number;
}

/** Blobs of projects that none of their manifests uses, in batches after `after`. */
export function unusedLinks(
  db: Reader,
  { before, after }: { readonly before: number; readonly after: Link },
  limit: number,
): Promise<Link[]> {
  return db
    .selectFrom('registry_project_blobs')
    .select(['project_id', 'blob_id'])
    .where(sql<SqlBool>`(project_id, blob_id) > (${after.project_id}, ${after.blob_id})`)
    .where('touched_at', '<', before)
    .where(isUnneeded)
    .orderBy('project_id')
    .orderBy('blob_id')
    .limit(limit)
    .execute();
}

/** Removes blobs from projects, unless they are needed again by now. */
export async function unlink(trx: Writer, links: readonly Link[], before: number): Promise<void> {
  for (const { project_id, blob_id } of links) {
    const { numDeletedRows } = await trx
      .deleteFrom('registry_project_blobs')
      .where('project_id', '=', project_id)
      .where('blob_id', '=', blob_id)
      .where('touched_at', '<', before)
      .where(isUnneeded)
      .executeTakeFirst();
    if (numDeletedRows === 0n) continue;
    const { size } = await trx
      .selectFrom('registry_blobs')
      .select('size')
      .where('id', '=', blob_id)
      .executeTakeFirstOrThrow();
    await incrementCounter(trx, project_id, 'container_registry_size', -Number(size));
  }
}

const isUnlinked = sql<SqlBool>`
  not exists (select 1 from registry_project_blobs p where p.blob_id = registry_blobs.id)`;

/** Blobs linked to no project, in batches by ID. */
export async function unlinkedBlobs(db: Reader, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('registry_blobs')
    .select('id')
    .where('id', '>', after)
    .where(isUnlinked)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes a blob linked to no project. Throws a foreign key violation if it was linked concurrently. */
export async function deleteBlob(trx: Writer, id: number): Promise<void> {
  const removed = await trx
    .deleteFrom('registry_blobs')
    .where('id', '=', id)
    .where(isUnlinked)
    .returning('storage_key')
    .executeTakeFirst();
  if (removed) await scheduleFileRemoval(trx, [removed.storage_key]);
}

/** Tags of a repository, newest first, in batches after `after`. */
export function newestTags(
  db: Reader,
  repositoryId: number,
  after: Pick<TagRow, 'id' | 'updated_at'> | undefined,
  limit: number,
): Promise<TagRow[]> {
  const query = db.selectFrom('registry_tags').selectAll().where('repository_id', '=', repositoryId);
  const remaining = after ? query.where(sql<SqlBool>`(updated_at, id) < (${after.updated_at}, ${after.id})`) : query;
  return remaining.orderBy('updated_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Reloads tags while holding a lock on their repository, which blocks pushes until the transaction ends. */
export async function lockAndRead(trx: Writer, repositoryId: number, tags: readonly TagRow[]): Promise<TagRow[]> {
  if (!(await lockRow(trx, 'registry_repositories', repositoryId))) return [];
  return trx
    .selectFrom('registry_tags')
    .selectAll()
    .where(
      'id',
      'in',
      tags.map(({ id }) => id),
    )
    .execute();
}

/** Projects with images and a cleanup policy, in batches by ID. */
export function projectsWithPolicies(db: Reader, after: number, limit: number) {
  return db
    .selectFrom('projects as p')
    .leftJoin('registry_cleanups as c', 'c.project_id', 'p.id')
    .select(['p.id', 'p.settings', 'c.ran_at'])
    .where('p.id', '>', after)
    .where('p.archived', '=', 0)
    .where('p.id', 'in', db.selectFrom('registry_repositories').select('project_id'))
    .where('p.settings', 'like', '%"container_expiration_policy_attributes"%')
    .orderBy('p.id')
    .limit(limit)
    .execute();
}

/** Last cleanup time of each of these projects, where there is one. */
export async function cleanupsOf(db: Reader, projectIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('registry_cleanups')
    .select(['project_id', 'ran_at'])
    .where('project_id', 'in', [...projectIds])
    .execute();
  return new Map(rows.map(({ project_id, ran_at }) => [project_id, Number(ran_at)]));
}

export async function repositoriesOf(db: Reader, projectId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('registry_repositories')
    .select('id')
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function recordCleanup(trx: Writer, repositoryId: number, now: number): Promise<void> {
  await trx
    .updateTable('registry_repositories')
    .set({ cleanup_started_at: now })
    .where('id', '=', repositoryId)
    .execute();
}

export async function recordProjectCleanup(trx: Writer, projectId: number, now: number): Promise<void> {
  await trx
    .insertInto('registry_cleanups')
    .values({ project_id: projectId, ran_at: now })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ ran_at: now }))
    .execute();
}
