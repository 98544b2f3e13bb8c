import type { Actor } from '../../access/actor.ts';
import { isAdmin } from '../../access/actor.ts';
import { findUser, findUserByName } from '../../access/identify.ts';
import { Role } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { memberProjects } from '../../access/visible.ts';
import { visibleProjectIds } from '../../access/visible-among.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { fetchPage, type Slice } from '../../platform/database/paging.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pagination.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import type { Services } from '../../platform/services.ts';
import { findBySha256, insertSshKey, readSshKey, type SshKey, type SshKeyRow } from '../keys/service.ts';
import { deployKeys, disableKey, enableKey, keyLink, keysOfProject, projectsOfKeys } from './key-store.ts';
import type { DeployKeyEntity, ProjectDeployKeyEntity } from './schema.ts';

/** `deploy` of a key that any project may enable; 1 is a key of certain projects. */
const forEveryone = 2;

type KeyFields = Omit<SshKeyRow, 'user_id'>;

function keyFields(row: KeyFields) {
  return {
    id: row.id,
    title: row.title,
    created_at: instant(row.created_at),
    expires_at: instantOrNull(row.expires_at),
    last_used_at: instantOrNull(row.last_used_at),
    key: row.key,
    usage_type: row.usage_type,
    fingerprint: row.fingerprint_md5,
    fingerprint_sha256: row.fingerprint_sha256,
  };
}

type ProjectOfKey = Awaited<ReturnType<typeof projectsOfKeys>>[number];

function identity(row: ProjectOfKey) {
  return {
    id: row.id,
    description: row.description,
    name: row.name,
    name_with_namespace: `${row.full_name} / ${row.name}`,
    path: row.path,
    path_with_namespace: `${row.full_path}/${row.path}`,
    created_at: instant(row.created_at),
  };
}

/** The keys with the projects they open, as far as the actor may know of them: a key may open somebody's private ones. */
async function withProjects(db: Reader, actor: Actor, rows: readonly KeyFields[]): Promise<DeployKeyEntity[]> {
  const ids = rows.map((row) => row.id);
  const all = ids.length === 0 ? [] : await projectsOfKeys(db, ids);
  const known = await visibleProjectIds(db, actor, [...new Set(all.map((link) => link.id))]);
  const links = all.filter((link) => known.has(link.id));
  return rows.map((row) => {
    const own = links.filter((link) => link.key_id === row.id);
    return {
      ...keyFields(row),
      projects_with_write_access: own.filter((link) => link.can_push === 1).map(identity),
      projects_with_readonly_access: own.filter((link) => link.can_push === 0).map(identity),
    };
  });
}

/** Every deploy key, or those that any project may enable. */
export async function listAllKeys(
  db: Database,
  actor: Actor,
  onlyPublic: boolean,
  slice: Slice,
): Promise<Page<DeployKeyEntity>> {
  let query = deployKeys(db.read);
  if (onlyPublic) query = query.where('k.deploy', '=', forEveryone);
  const { rows, total } = await fetchPage(db.read, query.orderBy('k.id'), slice);
  return new Page(await withProjects(db.read, actor, rows), total);
}

/** What is sent to add a key. */
export interface NewDeployKey {
  readonly title: string;
  readonly key: string;
  readonly expires_at?: number;
  readonly can_push?: boolean;
}

const longestTitle = 255;
const tooLong = `is too long (maximum is ${longestTitle} characters)`;

async function read({ settings }: Services, { title, key }: NewDeployKey): Promise<SshKey> {
  const result = readSshKey(key, await settings.read());
  if ('problems' in result) throw new Invalid({ 'deploy_key.key': result.problems });
  if (title.trim() === '') throw new Invalid({ 'deploy_key.title': ["can't be blank"] });
  if (title.length > longestTitle) throw new Invalid({ 'deploy_key.title': [tooLong] });
  return result.key;
}

function rowOf(actor: Actor, wanted: NewDeployKey, key: SshKey, deploy: number) {
  return {
    user_id: actor.user?.id ?? null,
    title: wanted.title.trim(),
    key: key.text,
    fingerprint_md5: key.fingerprintMd5,
    fingerprint_sha256: key.fingerprintSha256,
    usage_type: 'auth' as const,
    deploy,
    expires_at: wanted.expires_at ?? null,
    last_used_at: null,
    created_at: Date.now(),
  };
}

function taken(error: unknown): never {
  if (!uniqueViolation(error)) throw error;
  throw new Invalid({ 'deploy_key.fingerprint_sha256': ['has already been taken'] });
}

/** Adds a key that any project may enable. */
export async function createPublicKey(
  services: Services,
  actor: Actor,
  wanted: NewDeployKey,
): Promise<DeployKeyEntity> {
  const { db } = services;
  const row = rowOf(actor, wanted, await read(services, wanted), forEveryone);
  const created = await db.write((trx) => insertSshKey(trx, row)).catch(taken);
  return (await withProjects(db.read, actor, [created]))[0] as DeployKeyEntity;
}

export async function listProjectKeys(
  db: Database,
  { project }: ProjectSubject,
  slice: Slice,
): Promise<Page<ProjectDeployKeyEntity>> {
  const { rows, total } = await fetchPage(db.read, keysOfProject(db.read, project.id).orderBy('k.id'), slice);
  return new Page(rows, total).map((row) => ({ ...keyFields(row), can_push: row.can_push === 1 }));
}

export async function getProjectKey(
  db: Database,
  { project }: ProjectSubject,
  id: number,
  missing: () => Error = () => NotFound.record(),
): Promise<ProjectDeployKeyEntity> {
  const row = await keysOfProject(db.read, project.id).where('k.id', '=', id).executeTakeFirst();
  if (!row) throw missing();
  return { ...keyFields(row), can_push: row.can_push === 1 };
}

/** Is this a deploy key that somebody may enable: one for everyone, or one of another project of theirs? */
async function mayEnable(db: Reader, actor: Actor, key: Pick<SshKeyRow, 'id' | 'deploy'>): Promise<boolean> {
  if (key.deploy === 0) return false;
  if (key.deploy === forEveryone || isAdmin(actor)) return true;
  const user = actor.user?.id ?? 0;
  const project = await db
    .selectFrom('projects')
    .innerJoin('deploy_key_projects as d', 'd.project_id', 'projects.id')
    .select('projects.id')
    .where('d.key_id', '=', key.id)
    .where((eb) => memberProjects(eb, user, Role.maintainer))
    .limit(1)
    .executeTakeFirst();
  return project !== undefined;
}

/** Gives a project a key: a new one, or one that the actor has elsewhere. */
export async function addProjectKey(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  wanted: NewDeployKey,
): Promise<ProjectDeployKeyEntity> {
  const { db } = services;
  const key = await read(services, wanted);
  const { project } = subject;
  const known = await findBySha256(db.read, key.fingerprintSha256);
  if (known && (await keyLink(db.read, known.id, project.id))) return getProjectKey(db, subject, known.id);
  if (known && !(await mayEnable(db.read, actor, known))) {
    throw new Invalid({ 'deploy_key.fingerprint_sha256': ['has already been taken'] });
  }
  try {
    const { id } = await db.write(async (trx) => {
      const row = known ?? (await insertSshKey(trx, rowOf(actor, wanted, key, 1)));
      if (!(await enableKey(trx, row.id, project.id, wanted.can_push === true))) throw new KeyChanged();
      return row;
    });
    return getProjectKey(db, subject, id);
  } catch (error) {
    if (!(error instanceof KeyChanged || uniqueViolation(error))) throw error;
    // It was added or taken away since it was looked for: what is so now decides.
    return addProjectKey(services, actor, subject, wanted);
  }
}

class KeyChanged extends Error {}

const noKey = () => new NotFound('Deploy key');

/** Lets a key that exists open one more project, for reading. */
export async function enableProjectKey(
  db: Database,
  actor: Actor,
  subject: ProjectSubject,
  id: number,
): Promise<ProjectDeployKeyEntity> {
  const key = await deployKeys(db.read).where('k.id', '=', id).executeTakeFirst();
  if (!key || !(await mayEnable(db.read, actor, key))) throw noKey();
  if (!(await db.write((trx) => enableKey(trx, id, subject.project.id, false)))) throw noKey();
  return getProjectKey(db, subject, id);
}

export async function updateProjectKey(
  db: Database,
  actor: Actor,
  subject: ProjectSubject,
  id: number,
  change: { readonly title?: string; readonly can_push?: boolean },
): Promise<ProjectDeployKeyEntity> {
  const { project } = subject;
  await getProjectKey(db, subject, id);
  const title = (await mayRename(db.read, actor, id)) ? change.title?.trim() : undefined;
  if (title === '') throw new Invalid({ 'deploy_key.title': ["can't be blank"] });
  if (title !== undefined && title.length > longestTitle) throw new Invalid({ 'deploy_key.title': [tooLong] });
  await db.write(async (trx) => {
    if (title !== undefined) await trx.updateTable('ssh_keys').set({ title }).where('id', '=', id).execute();
    if (change.can_push === undefined) return;
    await trx
      .updateTable('deploy_key_projects')
      .set({ can_push: change.can_push ? 1 : 0 })
      .where('key_id', '=', id)
      .where('project_id', '=', project.id)
      .execute();
  });
  return getProjectKey(db, subject, id);
}

/**
 * The title of a key for everyone shows in projects that know nothing of each other: it stays as its owner wrote it.
 * Clients that send it along with the rest are not refused for that.
 */
async function mayRename(db: Reader, actor: Actor, id: number): Promise<boolean> {
  const key = await deployKeys(db).where('k.id', '=', id).executeTakeFirst();
  return key?.deploy !== forEveryone || isAdmin(actor) || key.user_id === actor.user?.id;
}

/** Takes a key from a project; a key that opens nothing any more is gone. */
export async function removeProjectKey(db: Database, subject: ProjectSubject, id: number): Promise<void> {
  await getProjectKey(db, subject, id, noKey);
  await db.write((trx) => disableKey(trx, id, subject.project.id));
}

/** The keys of the projects that both the actor and the user maintain. */
export async function listKeysOfUser(
  db: Database,
  actor: Actor,
  who: string,
  slice: Slice,
): Promise<Page<DeployKeyEntity>> {
  const user = /^\d{1,15}$/.test(who) ? await findUser(db.read, Number(who)) : await findUserByName(db.read, who);
  if (!user) throw new NotFound('User');
  const viewer = actor.user?.id ?? 0;
  const projects = db.read
    .selectFrom('projects')
    .select('projects.id')
    .where((eb) => memberProjects(eb, user.id, Role.maintainer))
    .$if(!isAdmin(actor), (query) => query.where((eb) => memberProjects(eb, viewer, Role.maintainer)));
  const enabled = db.read.selectFrom('deploy_key_projects').select('key_id').where('project_id', 'in', projects);
  const query = deployKeys(db.read).where('k.id', 'in', enabled).orderBy('k.id');
  const { rows, total } = await fetchPage(db.read, query, slice);
  return new Page(await withProjects(db.read, actor, rows), total);
}
