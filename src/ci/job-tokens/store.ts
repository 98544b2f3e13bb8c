import { type SqlBool, sql } from 'kysely';
import type { Namespace, Project } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';

/** An allowlist entry: another project, or a group with everything below it. */
export type AllowlistTarget = { readonly target_project_id: number } | { readonly target_group_id: number };

/** Adds an entry to the allowlist; false when it exists already. */
export async function addTarget(trx: Writer, projectId: number, target: AllowlistTarget): Promise<boolean> {
  const result = await trx
    .insertInto('job_token_allowlist')
    .values({
      target_project_id: null,
      target_group_id: null,
      ...target,
      project_id: projectId,
      created_at: Date.now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** Removes an entry from the allowlist; false when it does not exist. */
export async function removeTarget(trx: Writer, projectId: number, target: AllowlistTarget): Promise<boolean> {
  let query = trx.deleteFrom('job_token_allowlist').where('project_id', '=', projectId);
  query =
    'target_project_id' in target
      ? query.where('target_project_id', '=', target.target_project_id)
      : query.where('target_group_id', '=', target.target_group_id);
  return Number((await query.executeTakeFirst()).numDeletedRows) > 0;
}

const hasNoTarget = sql<SqlBool>`coalesce(target_project_id, target_group_id) is null`;

/** Whether the allowlist has the entry without a target, which allows any project. */
export async function allowsAnyProject(db: Reader, projectId: number): Promise<boolean> {
  const row = await db
    .selectFrom('job_token_allowlist')
    .select('id')
    .where('project_id', '=', projectId)
    .where(hasNoTarget)
    .executeTakeFirst();
  return row !== undefined;
}

export async function setAllowsAnyProject(trx: Writer, projectId: number, anyProject: boolean): Promise<void> {
  await trx.deleteFrom('job_token_allowlist').where('project_id', '=', projectId).where(hasNoTarget).execute();
  if (anyProject) {
    const noTarget = { target_project_id: null, target_group_id: null };
    await trx
      .insertInto('job_token_allowlist')
      .values({ ...noTarget, project_id: projectId, created_at: Date.now() })
      .execute();
  }
}

export async function countAllowed(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('job_token_allowlist')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The projects in the allowlist; always includes the project itself. */
export function allowedProjects(
  db: Reader,
  projectId: number,
  slice: Slice,
): Promise<{ rows: Project[]; total: number }> {
  const listed = sql<SqlBool>`(projects.id = ${projectId} or projects.id in (
    select l.target_project_id from job_token_allowlist l where l.project_id = ${projectId}))`;
  return fetchPage(db, db.selectFrom('projects').selectAll('projects').where(listed).orderBy('projects.id'), slice);
}

export function allowedGroups(
  db: Reader,
  projectId: number,
  slice: Slice,
): Promise<{ rows: Namespace[]; total: number }> {
  const listed = sql<SqlBool>`namespaces.id in (
    select l.target_group_id from job_token_allowlist l where l.project_id = ${projectId})`;
  return fetchPage(
    db,
    db.selectFrom('namespaces').selectAll('namespaces').where(listed).orderBy('namespaces.id'),
    slice,
  );
}
