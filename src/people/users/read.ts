import { type Actor, isAdmin, seesAll } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { customAttributesOf } from '../custom-attributes/public.ts';
import { hideBotNames } from './bot-names.ts';
import type { AdminUserEntity, OwnUserEntity, UserProfileEntity } from './schema.ts';
import { findProfile, highestRole, type ProfileRow } from './store.ts';
import { presentProfile } from './views.ts';
import { adminViews, ownView } from './views-for-admin.ts';

async function profileOf({ db }: Services, actor: Actor, id: number): Promise<ProfileRow> {
  const user = await findProfile(db.read, id, actor.user?.id ?? 0);
  if (!user) throw new NotFound('User');
  return user;
}

/** A user as the viewer may see them: the profile, or everything for administrators and auditors. */
export async function getUser(
  services: Services,
  actor: Actor,
  id: number,
  withAttributes = false,
): Promise<UserProfileEntity | (AdminUserEntity & { highest_role: number })> {
  const { db, externalUrl } = services;
  const user = await profileOf(services, actor, id);
  if (!seesAll(actor)) {
    const [shown = user] = await hideBotNames(db.read, actor, [user]);
    return presentProfile(shown, actor, externalUrl);
  }
  const [view] = await adminViews(db.read, [user], actor, externalUrl);
  const attributes = withAttributes ? await customAttributesOf(db.read, 'user', [id]) : undefined;
  return {
    ...(view as AdminUserEntity),
    ...(attributes ? { custom_attributes: attributes.get(id) ?? [] } : {}),
    highest_role: await highestRole(db.read, id),
  };
}

/** The answer to what an administrator has changed. */
export async function getUserForAdmin(services: Services, actor: Actor, id: number): Promise<AdminUserEntity> {
  const user = await profileOf(services, actor, id);
  const [view] = await adminViews(services.db.read, [user], actor, services.externalUrl);
  return view as AdminUserEntity;
}

/** The caller's own account. */
export async function getSelf(services: Services, actor: Actor): Promise<OwnUserEntity | AdminUserEntity> {
  const { id } = actor.user as User;
  if (isAdmin(actor)) return getUserForAdmin(services, actor, id);
  return ownView(services.db.read, await profileOf(services, actor, id), actor, services.externalUrl);
}

/** What a user may know of themselves, for those who may see it of others. */
export async function publicViewOf(services: Services, actor: Actor, id: number): Promise<OwnUserEntity> {
  return ownView(services.db.read, await profileOf(services, actor, id), actor, services.externalUrl);
}
