import { sql } from 'kysely';
import { Role } from '../../../access/roles.ts';
import { memberProjectIds, memberProjects } from '../../../access/visibility/visible.ts';
import { deleteSshKey, type SshKeyRow } from '../../../people/keys/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import { storedCount } from '../../../platform/list-kit/stored-count.ts';

const link = statement((db, param: Param<{ key: number; project: number }>) =>
  db
    .selectFrom('deploy_key_projects')
    .select('can_push')
    .where('key_id', '=', param('key'))
    .where('project_id', '=', param('project')),
);

/** Returns the link of a deploy key to a project; undefined if the key is not enabled there. */
export function keyLink(db: Reader, keyId: number, projectId: number): Promise<{ can_push: number } | undefined> {
  return link.first(db, { key: keyId, project: projectId });
}

const keyColumns = [
  'k.id',
  'k.user_id',
  'k.title',
  'k.key',
  'k.usage_type',
  'k.fingerprint_md5',
  'k.fingerprint_sha256',
  'k.deploy',
  'k.expires_at',
  'k.last_used_at',
  'k.created_at',
] as const;

/** The deploy keys enabled in a project, with their access. */
export function keysOfProject(db: Reader, projectId: number) {
  return db
    .selectFrom('deploy_key_projects as p')
    .innerJoin('ssh_keys as k', 'k.id', 'p.key_id')
    .select([...keyColumns, 'p.can_push'])
    .where('p.project_id', '=', projectId);
}

/** Pages over the links alone; every link has a key. */
export async function listKeysOfProject(db: Reader, projectId: number, slice: Slice) {
  const links = db.selectFrom('deploy_key_projects as p').select('p.key_id').where('p.project_id', '=', projectId);
  const { rows, total } = await fetchPage(
    db,
    links.orderBy('p.key_id'),
    slice,
    storedCount('deploy_key_projects.project_id', projectId),
  );
  const ids = rows.map(({ key_id }) => key_id);
  const keys =
    ids.length === 0 ? [] : await keysOfProject(db, projectId).where('k.id', 'in', ids).orderBy('k.id').execute();
  return { rows: keys, total };
}

function deployKeys(db: Reader) {
  // A literal, because the partial index of deploy keys is only used if the planner can see the condition.
  return db.selectFrom('ssh_keys as k').select(keyColumns).where('k.deploy', '>', sql.lit(0));
}

export function findDeployKey(db: Reader, id: number) {
  return deployKeys(db).where('k.id', '=', id).executeTakeFirst();
}

/** Lists deploy keys, optionally of one kind. Pages over IDs first, for which PostgreSQL uses an index-only scan. */
export async function listDeployKeys(db: Reader, kind: number | undefined, slice: Slice) {
  const all = deployKeys(db).clearSelect().select('k.id');
  const found = kind === undefined ? all : all.where('k.deploy', '=', kind);
  const { rows, total } = await fetchPage(db, found.orderBy('k.id'), slice);
  const ids = rows.map(({ id }) => id);
  const keys = ids.length === 0 ? [] : await deployKeys(db).where('k.id', 'in', ids).orderBy('k.id').execute();
  return { rows: keys, total };
}

/** Whether a key is enabled in a project that the user maintains. */
export async function isEnabledInMaintainedProject(db: Reader, keyId: number, userId: number): Promise<boolean> {
  const project = await db
    .selectFrom('projects')
    .innerJoin('deploy_key_projects as d', 'd.project_id', 'projects.id')
    .select('projects.id')
    .where('d.key_id', '=', keyId)
    .where((eb) => memberProjects(eb, userId, Role.maintainer))
    .limit(1)
    .executeTakeFirst();
  return project !== undefined;
}

/** Whether a key is enabled in a project that the user does not maintain. */
export async function isEnabledInUnmaintainedProject(db: Reader, keyId: number, userId: number): Promise<boolean> {
  const project = await db
    .selectFrom('projects')
    .innerJoin('deploy_key_projects as d', 'd.project_id', 'projects.id')
    .select('projects.id')
    .where('d.key_id', '=', keyId)
    .where((eb) => eb.not(memberProjects(eb, userId, Role.maintainer)))
    .limit(1)
    .executeTakeFirst();
  return project !== undefined;
}

/** Lists the deploy keys of the projects that all of these users maintain. */
export function listKeysMaintainedBy(db: Reader, userIds: readonly number[], slice: Slice) {
  const now = Date.now();
  let enabled = db.selectFrom('deploy_key_projects').select('key_id');
  // Query by the user's projects: checking the members of each project would read all of them.
  for (const user of new Set(userIds)) {
    enabled = enabled.where('project_id', 'in', sql<number>`(${memberProjectIds(user, Role.maintainer, now)})`);
  }
  return fetchPage(db, deployKeys(db).where('k.id', 'in', enabled).orderBy('k.id'), slice);
}

/** Lists the projects in which these keys are enabled. */
export function projectsOfKeys(db: Reader, keyIds: readonly number[]) {
  return db
    .selectFrom('deploy_key_projects as d')
    .innerJoin('projects as p', 'p.id', 'd.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select([
      'd.key_id',
      'd.can_push',
      'p.id',
      'p.description',
      'p.name',
      'p.path',
      'p.created_at',
      'n.full_name',
      'n.full_path',
    ])
    .where('d.key_id', 'in', [...keyIds])
    .orderBy('p.id')
    .execute();
}

/** Lists the project links of a key. */
export function linksOfKey(db: Reader, keyId: number) {
  return db
    .selectFrom('deploy_key_projects')
    .select(['key_id', 'project_id', 'can_push', 'created_at'])
    .where('key_id', '=', keyId)
    .orderBy('project_id')
    .execute();
}

/** Enables a key in a project. Returns false if the key has been deleted concurrently. */
export async function enableKey(trx: Writer, keyId: number, projectId: number, canPush: boolean): Promise<boolean> {
  if (!(await lockRow(trx, 'ssh_keys', keyId))) return false;
  await trx
    .insertInto('deploy_key_projects')
    .values({ key_id: keyId, project_id: projectId, can_push: canPush ? 1 : 0, created_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return true;
}

/** Sets whether a key has write access to a project. */
export async function allowPush(trx: Writer, keyId: number, projectId: number, canPush: boolean): Promise<void> {
  await trx
    .updateTable('deploy_key_projects')
    .set({ can_push: canPush ? 1 : 0 })
    .where('key_id', '=', keyId)
    .where('project_id', '=', projectId)
    .execute();
}

/** Removes a key from a project, and deletes it if it is not public and has no projects left. */
export async function disableKey(trx: Writer, keyId: number, projectId: number): Promise<SshKeyRow | undefined> {
  // A concurrent enable waits for this lock and then sees whether the key still exists.
  const key = await lockRow(trx, 'ssh_keys', keyId, 'remove');
  const { numDeletedRows } = await trx
    .deleteFrom('deploy_key_projects')
    .where('key_id', '=', keyId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (!key || Number(numDeletedRows) === 0) return undefined;
  if (key.deploy === 1 && (await linksOfKey(trx, keyId)).length === 0) await deleteSshKey(trx, keyId);
  return key;
}
