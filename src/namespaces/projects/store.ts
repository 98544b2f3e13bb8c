import { type Insertable, sql } from 'kysely';
import { holdNamespace } from '../../access/namespaces.ts';
import { Role } from '../../access/roles.ts';
import type { Namespace, Project, ProjectsTable } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow, type Purpose } from '../../platform/database/locks.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { NotFound } from '../../platform/http/errors.ts';

const byId = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('projects').selectAll().where('id', '=', param('id')),
);

export function findProject(db: Reader, id: number): Promise<Project | undefined> {
  return byId.first(db, { id });
}

export async function insertProject(trx: Writer, row: Insertable<ProjectsTable>): Promise<Project> {
  return trx.insertInto('projects').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateProject(
  trx: Writer,
  id: number,
  change: Partial<Insertable<ProjectsTable>>,
): Promise<Project> {
  return trx
    .updateTable('projects')
    .set({ updated_at: Date.now(), ...change })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The project's row as it is now; nobody else changes it until the transaction ends. */
export async function lockProject(trx: Writer, id: number, purpose?: Purpose): Promise<Project> {
  const project = await lockRow(trx, 'projects', id, purpose);
  // Removed since the request was let in.
  if (!project) throw new NotFound('Project');
  return project;
}

/** The namespace's row as it is now; nobody moves or renames it meanwhile, so that an address made from it is right. */
export async function lockNamespace(trx: Writer, id: number): Promise<Namespace> {
  const namespace = await holdNamespace(trx, id);
  if (!namespace) throw new NotFound('Namespace');
  return namespace;
}

/** Both, for whoever changes a project's address. Namespaces first, lest two wait for each other. */
export async function lockAddress(
  trx: Writer,
  { id, namespace_id }: Pick<Project, 'id' | 'namespace_id'>,
): Promise<{ project: Project; namespace: Namespace }> {
  const expected = await lockNamespace(trx, namespace_id);
  const project = await lockProject(trx, id);
  const stayed = project.namespace_id === namespace_id;
  return { project, namespace: stayed ? expected : await lockNamespace(trx, project.namespace_id) };
}

/** The owner of a personal project is a member of it with the highest role. */
export async function addOwner(trx: Writer, projectId: number, userId: number): Promise<void> {
  await trx
    .insertInto('members')
    .values({
      user_id: userId,
      namespace_id: null,
      project_id: projectId,
      access_level: Role.owner,
      expires_at: null,
      created_by_id: null,
      created_at: Date.now(),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'user_id'])
        .where('project_id', 'is not', null)
        .doUpdateSet({ access_level: Role.owner, expires_at: null }),
    )
    .execute();
}

/** Adds to a counter of a project, such as its forks. */
export async function countUp(
  trx: Writer,
  id: number,
  column: 'star_count' | 'forks_count' | 'uploads_size',
  by: number,
): Promise<void> {
  await trx
    .updateTable('projects')
    .set({ [column]: sql`${sql.ref(column)} + ${by}` })
    .where('id', '=', id)
    .execute();
}

/** Lowers the visibility of the projects in and below a group to what is allowed at most. */
export async function lowerVisibilityInGroup(trx: Writer, groupId: number, visibility: number): Promise<void> {
  const below = sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${groupId})`;
  await trx
    .updateTable('projects')
    .set({ visibility })
    .where('namespace_id', 'in', below)
    .where('visibility', '>', visibility)
    .execute();
}
