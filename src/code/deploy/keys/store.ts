import { sql } from 'kysely';
import { Role } from '../../../access/roles.ts';
import { memberProjectIds, memberProjects } from '../../../access/visibility/visible.ts';
import { deleteSshKey, type SshKeyRow } from '../../../people/keys/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import { kept } from '../../../platform/list-kit/kept.ts';

const link = statement((db, param: Param<{ key: number; project: number }>) =>
  db
    .selectFrom('deploy_key_projects')
    .select('can_push')
    .where('key_id', '=', param('key'))
    .where('project_id', '=', param('project')),
);

/** The project's link to a deploy key; undefined when the key does not open the project. */
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

/** Deploy keys that a project has enabled, with what they may do there. */
export function keysOfProject(db: Reader, projectId: number) {
  return db
    .selectFrom('deploy_key_projects as p')
    .innerJoin('ssh_keys as k', 'k.id', 'p.key_id')
    .select([...keyColumns, 'p.can_push'])
    .where('p.project_id', '=', projectId);
}

/** Found by the links alone: none is without its key. */
export async function listKeysOfProject(db: Reader, projectId: number, slice: Slice) {
  const links = db.selectFrom('deploy_key_projects as p').select('p.key_id').where('p.project_id', '=', projectId);
  const { rows, total } = await fetchPage(
    db,
    links.orderBy('p.key_id'),
    slice,
    kept('deploy_key_projects.project_id', projectId),
  );
  const ids = rows.map(({ key_id }) => key_id);
  const keys =
    ids.length === 0 ? [] : await keysOfProject(db, projectId).where('k.id', 'in', ids).orderBy('k.id').execute();
  return { rows: keys, total };
}

function deployKeys(db: Reader) {
  // Written out: an engine uses the indexes of deploy keys only when it can read that it is about them.
  return db.selectFrom('ssh_keys as k').select(keyColumns).where('k.deploy', '>', sql.lit(0));
}

export function findDeployKey(db: Reader, id: number) {
  return deployKeys(db).where('k.id', '=', id).executeTakeFirst();
}

/** All deploy keys, or those of one kind. Found by their numbers, for which PostgreSQL reads no key of anybody else. */
export async function listDeployKeys(db: Reader, kind: number | undefined, slice: Slice) {
  const all = deployKeys(db).clearSelect().select('k.id');
  const found = kind === undefined ? all : all.where('k.deploy', '=', kind);
  const { rows, total } = await fetchPage(db, found.orderBy('k.id'), slice);
  const ids = rows.map(({ id }) => id);
  const keys = ids.length === 0 ? [] : await deployKeys(db).where('k.id', 'in', ids).orderBy('k.id').execute();
  return { rows: keys, total };
}

/** Does a key open a project that somebody maintains? */
export async function opensProjectMaintainedBy(db: Reader, keyId: number, userId: number): Promise<boolean> {
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

/** Does a key open a project that somebody does not maintain? */
export async function opensProjectOfOthers(db: Reader, keyId: number, userId: number): Promise<boolean> {
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

/** The deploy keys of the projects that all of these people maintain. */
export function listKeysMaintainedBy(db: Reader, userIds: readonly number[], slice: Slice) {
  const now = Date.now();
  let enabled = db.selectFrom('deploy_key_projects').select('key_id');
  // By the projects themselves: to ask each project for its members reads all of them.
  for (const user of new Set(userIds)) {
    enabled = enabled.where('project_id', 'in', sql<number>`(${memberProjectIds(user, Role.maintainer, now)})`);
  }
  return fetchPage(db, deployKeys(db).where('k.id', 'in', enabled).orderBy('k.id'), slice);
}

/** The projects that these keys open. */
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

/** Which projects a key opens, and whether for writing. */
export function linksOfKey(db: Reader, keyId: number) {
  return db
    .selectFrom('deploy_key_projects')
    .select(['key_id', 'project_id', 'can_push', 'created_at'])
    .where('key_id', '=', keyId)
    .orderBy('project_id')
    .execute();
}

/** False when the key is gone: whoever took it from its last project was quicker. */
export async function enableKey(trx: Writer, keyId: number, projectId: number, canPush: boolean): Promise<boolean> {
  if (!(await lockRow(trx, 'ssh_keys', keyId))) return false;
  await trx
    .insertInto('deploy_key_projects')
    .values({ key_id: keyId, project_id: projectId, can_push: canPush ? 1 : 0, created_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return true;
}

/** Says whether a key may write to a project that it opens. */
export async function allowPush(trx: Writer, keyId: number, projectId: number, canPush: boolean): Promise<void> {
  await trx
    .updateTable('deploy_key_projects')
    .set({ can_push: canPush ? 1 : 0 })
    .where('key_id', '=', keyId)
    .where('project_id', '=', projectId)
    .execute();
}

/** Takes the key from the project, and away altogether when it opens no other and is not for everyone. */
export async function disableKey(trx: Writer, keyId: number, projectId: number): Promise<SshKeyRow | undefined> {
  // Whoever enables it for another project meanwhile waits, and finds out whether it is still there.
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
