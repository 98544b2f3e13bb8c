import { type Actor, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { findBySha256, insertSshKey, renameSshKey, type SshKeyRow } from '../../../people/keys/public.ts';
import { userByIdOrName } from '../../../people/users/public.ts';
import type { Database, Reader } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { presentKeys, presentProjectKey } from './present.ts';
import { checkTitle, type NewDeployKey, readKey, rowOf } from './rules.ts';
import type { DeployKeyEntity, ProjectDeployKeyEntity } from './schema.ts';
import {
  allowPush,
  disableKey,
  enableKey,
  findDeployKey,
  isEnabledInMaintainedProject,
  isEnabledInUnmaintainedProject,
  keyLink,
  keysOfProject,
  listDeployKeys,
  listKeysMaintainedBy,
  listKeysOfProject,
} from './store.ts';

/** `deploy` value of a public key, which any project may enable; 1 is a key of specific projects. */
const publicKey = 2;

/** Lists all deploy keys, or only public ones. */
export async function listAllKeys(
  db: Database,
  actor: Actor,
  onlyPublic: boolean,
  slice: Slice,
): Promise<Page<DeployKeyEntity>> {
  const { rows, total } = await listDeployKeys(db.read, onlyPublic ? publicKey : undefined, slice);
  return new Page(await presentKeys(db.read, actor, rows), total);
}

function taken(error: unknown): never {
  if (!uniqueViolation(error)) throw error;
  throw new Invalid({ 'deploy_key.fingerprint_sha256': ['has already been taken'] });
}

/** Creates a public deploy key. */
export async function createPublicKey(
  services: Services,
  actor: Actor,
  params: NewDeployKey,
): Promise<DeployKeyEntity> {
  const { db } = services;
  const row = rowOf(actor, params, await readKey(services, params), publicKey);
  const created = await db
    .write(async (trx) => {
      const key = await insertSshKey(trx, row);
      await services.announce(trx, 'deploy-key.added', { key, project: null, by: actor.user });
      return key;
    })
    .catch(taken);
  return (await presentKeys(db.read, actor, [created]))[0] as DeployKeyEntity;
}

export async function listProjectKeys(
  db: Database,
  { project }: ProjectSubject,
  slice: Slice,
): Promise<Page<ProjectDeployKeyEntity>> {
  const { rows, total } = await listKeysOfProject(db.read, project.id, slice);
  return new Page(rows, total).map(presentProjectKey);
}

export async function getProjectKey(
  db: Database,
  { project }: ProjectSubject,
  id: number,
  missing: () => Error = () => NotFound.record(),
): Promise<ProjectDeployKeyEntity> {
  const row = await keysOfProject(db.read, project.id).where('k.id', '=', id).executeTakeFirst();
  if (!row) throw missing();
  return presentProjectKey(row);
}

/** Whether the actor may enable a deploy key: a public key, or one of another project they maintain. */
async function mayEnable(db: Reader, actor: SignedInActor, key: Pick<SshKeyRow, 'id' | 'deploy'>): Promise<boolean> {
  if (key.deploy === 0) return false;
  if (key.deploy === publicKey || isAdmin(actor)) return true;
  return isEnabledInMaintainedProject(db, key.id, actor.user.id);
}

/** Adds a new key to a project, or enables an existing one the actor has access to. */
export async function addProjectKey(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  params: NewDeployKey,
): Promise<ProjectDeployKeyEntity> {
  const { db } = services;
  const key = await readKey(services, params);
  const { project } = subject;
  const known = await findBySha256(db.read, key.fingerprintSha256);
  if (known && (await keyLink(db.read, known.id, project.id))) return getProjectKey(db, subject, known.id);
  if (known && !(await mayEnable(db.read, actor, known))) {
    throw new Invalid({ 'deploy_key.fingerprint_sha256': ['has already been taken'] });
  }
  try {
    const { id } = await db.write(async (trx) => {
      const row = known ?? (await insertSshKey(trx, rowOf(actor, params, key, 1)));
      if (!(await enableKey(trx, row.id, project.id, params.can_push === true))) throw new KeyChanged();
      await services.announce(trx, 'deploy-key.added', { key: row, project, by: actor.user });
      return row;
    });
    return getProjectKey(db, subject, id);
  } catch (error) {
    if (!(error instanceof KeyChanged || uniqueViolation(error))) throw error;
    // The key was added or removed concurrently: retry with the current state.
    return addProjectKey(services, actor, subject, params);
  }
}

class KeyChanged extends Error {}

const noKey = () => new NotFound('Deploy key');

/** Enables an existing key in a project, read-only. */
export async function enableProjectKey(
  { db, announce }: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<ProjectDeployKeyEntity> {
  const key = await findDeployKey(db.read, id);
  if (!key || !(await mayEnable(db.read, actor, key))) throw noKey();
  await db.write(async (trx) => {
    if (!(await enableKey(trx, id, subject.project.id, false))) throw noKey();
    await announce(trx, 'deploy-key.added', { key, project: subject.project, by: actor.user });
  });
  return getProjectKey(db, subject, id);
}

export async function updateProjectKey(
  db: Database,
  actor: SignedInActor,
  subject: ProjectSubject,
  id: number,
  change: { readonly title?: string; readonly can_push?: boolean },
): Promise<ProjectDeployKeyEntity> {
  const { project } = subject;
  await getProjectKey(db, subject, id);
  const title = (await mayRename(db.read, actor, id)) ? change.title?.trim() : undefined;
  if (title !== undefined) checkTitle(title);
  await db.write(async (trx) => {
    if (title !== undefined) await renameSshKey(trx, id, title);
    if (change.can_push === undefined) return;
    await allowPush(trx, id, project.id, change.can_push);
  });
  return getProjectKey(db, subject, id);
}

/**
 * Whether the actor may rename a key. The title of a public key, or of one that is also enabled in projects of others,
 * is shared between unrelated projects and stays unchanged. The request is not rejected, because clients send all
 * attributes.
 */
async function mayRename(db: Reader, actor: SignedInActor, id: number): Promise<boolean> {
  const key = await findDeployKey(db, id);
  if (isAdmin(actor) || (actor.user && key?.user_id === actor.user.id)) return true;
  if (!actor.user || key?.deploy === publicKey) return false;
  return !(await isEnabledInUnmaintainedProject(db, id, actor.user.id));
}

/** Removes a key from a project. A key without any projects left is deleted. */
export async function removeProjectKey(
  { db, announce }: Services,
  actor: SignedInActor,
  { project }: ProjectSubject,
  id: number,
): Promise<void> {
  await db.write(async (trx) => {
    const key = await disableKey(trx, id, project.id);
    if (!key) throw noKey();
    await announce(trx, 'deploy-key.removed', { key, project, by: actor.user });
  });
}

/** Lists the keys of the projects that both the actor and the user maintain. */
export async function listKeysOfUser(
  db: Database,
  actor: SignedInActor,
  who: string,
  slice: Slice,
): Promise<Page<DeployKeyEntity>> {
  const user = await userByIdOrName(db.read, who);
  const maintainers = isAdmin(actor) ? [user.id] : [user.id, actor.user.id];
  const { rows, total } = await listKeysMaintainedBy(db.read, maintainers, slice);
  return new Page(await presentKeys(db.read, actor, rows), total);
}
