import { type Insertable, sql } from 'kysely';
import { lockNamespaceRow } from '../../access/namespaces/hierarchy.ts';
import type { Namespace, Project, ProjectsTable } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow, type RowLockStrength } from '../../platform/database/locks.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { NotFound } from '../../platform/http/errors.ts';

const byId = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('projects').selectAll().where('id', '=', param('id')),
);

export function findProject(db: Reader, id: number): Promise<Project | undefined> {
  return byId.first(db, { id });
}

export type ProjectRow = Insertable<ProjectsTable>;

export async function insertProject(trx: Writer, row: ProjectRow): Promise<Project> {
  return trx.insertInto('projects').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateProject(trx: Writer, id: number, change: Partial<ProjectRow>): Promise<Project> {
  return trx
    .updateTable('projects')
    .set({ updated_at: Date.now(), ...change })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Locks the project row until the transaction ends and returns its current state. */
export async function lockProject(trx: Writer, id: number, purpose?: RowLockStrength): Promise<Project> {
  const project = await lockRow(trx, 'projects', id, purpose);
  // Deleted since the request was authorized.
  if (!project) throw new NotFound('Project');
  return project;
}

/** Locks the namespace row, so that it is not moved or renamed while a path is derived from it. */
export async function lockNamespace(trx: Writer, id: number): Promise<Namespace> {
  const namespace = await lockNamespaceRow(trx, id);
  if (!namespace) throw new NotFound('Namespace');
  return namespace;
}

/** Locks namespace and project to change a project's path. Namespaces are locked first to avoid deadlocks. */
export async function lockAddress(
  trx: Writer,
  { id, namespace_id }: Pick<Project, 'id' | 'namespace_id'>,
): Promise<{ project: Project; namespace: Namespace }> {
  const expected = await lockNamespace(trx, namespace_id);
  const project = await lockProject(trx, id);
  const stayed = project.namespace_id === namespace_id;
  return { project, namespace: stayed ? expected : await lockNamespace(trx, project.namespace_id) };
}

const personalNamespace = statement((db, param: Param<{ user: number }>) =>
  db.selectFrom('namespaces').selectAll().where('owner_id', '=', param('user')),
);

/** Returns the personal namespace of a user; bots have none. */
export function personalNamespaceOf(db: Reader, user: number): Promise<Namespace | undefined> {
  return personalNamespace.first(db, { user });
}

/** Whether a namespace has at least this number of projects. */
export async function holdsAtLeast(db: Reader, namespaceId: number, count: number): Promise<boolean> {
  const last = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .orderBy('id')
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst();
  return last !== undefined;
}

/** Increments a counter of a project, such as the number of forks. */
export async function incrementCounter(
  trx: Writer,
  id: number,
  column:
    | 'star_count'
    | 'forks_count'
    | 'uploads_size'
    | 'lfs_objects_size'
    | 'packages_size'
    | 'container_registry_size',
  by: number,
): Promise<void> {
  await trx
    .updateTable('projects')
    .set({ [column]: sql`${sql.ref(column)} + ${by}` })
    .where('id', '=', id)
    .execute();
}

/** Limits the visibility of all projects in a group hierarchy. */
export async function lowerVisibilityInGroup(trx: Writer, groupId: number, visibility: number): Promise<void> {
  const below = sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${groupId})`;
  await trx
    .updateTable('projects')
    .set({ visibility })
    .where('namespace_id', 'in', below)
    .where('visibility', '>', visibility)
    .execute();
}

/** Columns that describe the repository of a project. */
type RepositoryColumns = Pick<
  ProjectRow,
  | 'commit_count'
  | 'default_branch'
  | 'empty_repo'
  | 'housekeeping_since'
  | 'import_error'
  | 'import_status'
  | 'import_type'
  | 'import_url'
  | 'languages_commit'
  | 'lfs_objects_size'
  | 'readme_path'
  | 'repository_size'
  | 'wiki_size'
>;

/** Updates the repository columns without touching the project otherwise; false if the project was deleted. */
export async function updateRepositoryColumns(
  trx: Writer,
  id: number,
  columns: Partial<RepositoryColumns>,
): Promise<boolean> {
  const found = await trx.updateTable('projects').set(columns).where('id', '=', id).executeTakeFirst();
  return Number(found.numUpdatedRows) > 0;
}

const touch = statement((db, param: Param<{ id: number; at: number }>) =>
  db
    .updateTable('projects')
    .set({ last_activity_at: param('at') })
    .where('id', '=', param('id')),
);

/** Records activity in the project. */
export async function touchProject(trx: Writer, id: number, at: number): Promise<void> {
  await touch.run(trx, { id, at });
}

/** Records the first branch of a repository; false if a concurrent push was first. */
export async function recordFirstBranch(trx: Writer, id: number, branch: string): Promise<boolean> {
  const filled = await trx
    .updateTable('projects')
    .set({ empty_repo: 0, default_branch: branch })
    .where('id', '=', id)
    .where('empty_repo', '=', 1)
    .executeTakeFirst();
  return filled.numUpdatedRows > 0n;
}

/** Claims housekeeping of a repository; false if it was claimed since the given time. */
export async function claimHousekeeping(trx: Writer, id: number, since: number): Promise<boolean> {
  const claimed = await trx
    .updateTable('projects')
    .set({ housekeeping_since: Date.now() })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('housekeeping_since', 'is', null), eb('housekeeping_since', '<', since)]))
    .executeTakeFirst();
  return Number(claimed.numUpdatedRows) > 0;
}

/** Changes the creator of all projects created by a user. */
export async function changeCreator(trx: Writer, from: number, to: number): Promise<void> {
  await trx.updateTable('projects').set({ creator_id: to }).where('creator_id', '=', from).execute();
}

/** Whether a project in a namespace has this name. */
export async function nameTakenIn(db: Reader, namespaceId: number, name: string): Promise<boolean> {
  const found = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('name', '=', name)
    .executeTakeFirst();
  return found !== undefined;
}
