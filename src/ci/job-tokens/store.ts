import { type SqlBool, sql } from 'kysely';
import type { Namespace, Project } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';

/** Whose jobs are let in: another project, or everything below a group. */
export type Admitted = { readonly target_project_id: number } | { readonly target_group_id: number };

/** Puts somebody on the list of a project; false where they were on it. */
export async function admit(trx: Writer, projectId: number, target: Admitted): Promise<boolean> {
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

/** Takes somebody off the list of a project; false where they were not on it. */
export async function dismiss(trx: Writer, projectId: number, target: Admitted): Promise<boolean> {
  let query = trx.deleteFrom('job_token_allowlist').where('project_id', '=', projectId);
  query =
    'target_project_id' in target
      ? query.where('target_project_id', '=', target.target_project_id)
      : query.where('target_group_id', '=', target.target_group_id);
  return Number((await query.executeTakeFirst()).numDeletedRows) > 0;
}

const everyone = sql<SqlBool>`coalesce(target_project_id, target_group_id) is null`;

/** Whether the list of a project has the line that names nobody and means all. */
export async function admitsEveryone(db: Reader, projectId: number): Promise<boolean> {
  const row = await db
    .selectFrom('job_token_allowlist')
    .select('id')
    .where('project_id', '=', projectId)
    .where(everyone)
    .executeTakeFirst();
  return row !== undefined;
}

export async function admitEveryone(trx: Writer, projectId: number, all: boolean): Promise<void> {
  await trx.deleteFrom('job_token_allowlist').where('project_id', '=', projectId).where(everyone).execute();
  if (all) {
    const nobody = { target_project_id: null, target_group_id: null };
    await trx
      .insertInto('job_token_allowlist')
      .values({ ...nobody, project_id: projectId, created_at: Date.now() })
      .execute();
  }
}

export async function countAdmitted(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('job_token_allowlist')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The projects on the list of a project; its own is always there. */
export function admittedProjects(
  db: Reader,
  projectId: number,
  slice: Slice,
): Promise<{ rows: Project[]; total: number }> {
  const listed = sql<SqlBool>`(projects.id = ${projectId} or projects.id in (
    select l.target_project_id from job_token_allowlist l where l.project_id = ${projectId}))`;
  return fetchPage(db, db.selectFrom('projects').selectAll('projects').where(listed).orderBy('projects.id'), slice);
}

export function admittedGroups(
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
