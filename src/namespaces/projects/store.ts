import { type Insertable, sql } from 'kysely';
import { holdNamespace } from '../../access/namespaces/hierarchy.ts';
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

const personalNamespace = statement((db, param: Param<{ user: number }>) =>
  db.selectFrom('namespaces').selectAll().where('owner_id', '=', param('user')),
);

/** The namespace of a user's own projects; bots have none. */
export function personalNamespaceOf(db: Reader, user: number): Promise<Namespace | undefined> {
  return personalNamespace.first(db, { user });
}

/** Does a namespace hold so many projects, or more? */
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

/** Adds to a counter of a project, such as its forks. */
export async function countUp(
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

/** The columns of a project that tell of its repository. */
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

/** Notes what is known of a project's repository, which changes nothing about the project itself; false when it is gone. */
export async function noteRepository(trx: Writer, id: number, columns: Partial<RepositoryColumns>): Promise<boolean> {
  const found = await trx.updateTable('projects').set(columns).where('id', '=', id).executeTakeFirst();
  return Number(found.numUpdatedRows) > 0;
}

const touch = statement((db, param: Param<{ id: number; at: number }>) =>
  db
    .updateTable('projects')
    .set({ last_activity_at: param('at') })
    .where('id', '=', param('id')),
);

/** Notes that something happened in the project. */
export async function touchProject(trx: Writer, id: number, at: number): Promise<void> {
  await touch.run(trx, { id, at });
}

/** Notes that the repository has its first branch; false when another push was first. */
export async function fillProject(trx: Writer, id: number, branch: string): Promise<boolean> {
  const filled = await trx
    .updateTable('projects')
    .set({ empty_repo: 0, default_branch: branch })
    .where('id', '=', id)
    .where('empty_repo', '=', 1)
    .executeTakeFirst();
  return filled.numUpdatedRows > 0n;
}

/** Notes that a repository is to be tidied up; false while that was noted since a given instant. */
export async function claimHousekeeping(trx: Writer, id: number, since: number): Promise<boolean> {
  const claimed = await trx
    .updateTable('projects')
    .set({ housekeeping_since: Date.now() })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('housekeeping_since', 'is', null), eb('housekeeping_since', '<', since)]))
    .executeTakeFirst();
  return Number(claimed.numUpdatedRows) > 0;
}

/** Gives the projects that somebody created another creator. */
export async function changeCreator(trx: Writer, from: number, to: number): Promise<void> {
  await trx.updateTable('projects').set({ creator_id: to }).where('creator_id', '=', from).execute();
}

/** Does a project of a namespace have this name? */
export async function nameTakenIn(db: Reader, namespaceId: number, name: string): Promise<boolean> {
  const found = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('name', '=', name)
    .executeTakeFirst();
  return found !== undefined;
}
