import { type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { DeploymentRow, NewDeploymentRow } from '../tables.ts';

const isActive = (now: number) => sql<SqlBool>`(expires_at is null or expires_at > ${now})`;

/** Active deployments of a project, the main site first. */
export function deploymentsOf(db: Reader, projectId: number, now: number): Promise<DeploymentRow[]> {
  return db
    .selectFrom('pages_deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(isActive(now))
    .orderBy('path_prefix')
    .execute();
}

/** The deployment that serves a path: the one with a matching prefix, or else the main site. */
export function deploymentFor(
  db: Reader,
  projectId: number,
  first: string,
  now: number,
): Promise<DeploymentRow | undefined> {
  return db
    .selectFrom('pages_deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('path_prefix', 'in', ['', first])
    .where(isActive(now))
    .orderBy('path_prefix', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export function deploymentWith(db: Reader, projectId: number, prefix: string): Promise<DeploymentRow | undefined> {
  return db
    .selectFrom('pages_deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('path_prefix', '=', prefix)
    .executeTakeFirst();
}

export function deploymentOfJob(db: Reader, jobId: number): Promise<DeploymentRow | undefined> {
  return db.selectFrom('pages_deployments').selectAll().where('job_id', '=', jobId).executeTakeFirst();
}

/** Number of prefixed sites in all projects of a root namespace. */
export async function countPrefixed(db: Reader, rootId: number, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('projects as p', 'p.namespace_id', 'a.namespace_id')
    .innerJoin('pages_deployments as d', 'd.project_id', 'p.id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('a.ancestor_id', '=', rootId)
    .where('d.path_prefix', '<>', '')
    .where(isActive(now))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertDeployment(trx: Writer, row: NewDeploymentRow): Promise<void> {
  await trx.insertInto('pages_deployments').values(row).execute();
}

/** Which deployments to remove. */
export type DeletionScope =
  | { readonly id: number }
  | { readonly projectId: number }
  | { readonly expiredAt: number }
  | { readonly requestId: number; readonly projectIds: readonly number[] };

function inDeletionScope(which: DeletionScope) {
  if ('id' in which) return sql<SqlBool>`id = ${which.id}`;
  if ('requestId' in which) {
    return sql<SqlBool>`project_id in (${sql.join([...which.projectIds])}) and path_prefix <> '' and pipeline_number in
      (select p.id from pipelines p where p.merge_request_id = ${which.requestId})`;
  }
  return 'projectId' in which
    ? sql<SqlBool>`project_id = ${which.projectId}`
    : sql<SqlBool>`expires_at is not null and expires_at <= ${which.expiredAt}`;
}

/** Deletes deployments and schedules their archives for removal. */
export async function deleteDeployments(trx: Writer, which: DeletionScope): Promise<number> {
  const condition = inDeletionScope(which);
  await trx
    .insertInto('deleted_pages_files')
    .columns(['storage_key'])
    .expression(trx.selectFrom('pages_deployments').select('storage_key').where(condition))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { numDeletedRows } = await trx.deleteFrom('pages_deployments').where(condition).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

export async function noteFile(trx: Writer, key: string): Promise<void> {
  await trx
    .insertInto('deleted_pages_files')
    .values({ storage_key: key })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function filesToDelete(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.selectFrom('deleted_pages_files').select('storage_key').limit(limit).execute();
  return rows.map(({ storage_key }) => storage_key);
}

export async function forgetFiles(trx: Writer, keys: readonly string[]): Promise<void> {
  await trx
    .deleteFrom('deleted_pages_files')
    .where('storage_key', 'in', [...keys])
    .execute();
}
