import { type Actor, callerId, canReadEverything, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { customAttributesOf } from '../../custom-attributes/public.ts';
import { identitiesOf } from '../identities/store.ts';
import { hideBotNames } from './bot-names.ts';
import { type ProvisionedFilters, provisionedList } from './list.ts';
import { presentBasicUser, presentForAdmin, presentOwn, presentProfile } from './present.ts';
import type { AdminUserEntity, BasicUserEntity, OwnUserEntity, UserProfileEntity } from './schema.ts';
import { type BasicUserRow, findBasicUsers, findProfile, highestRole, type ProfileRow } from './store.ts';

async function profileOf({ db }: Services, actor: Actor, id: number): Promise<ProfileRow> {
  const user = await findProfile(db.read, id, callerId(actor));
  if (!user) throw new NotFound('User');
  return user;
}

/** Returns a user in the view for the actor: the profile, or the full view for administrators and auditors. */
export async function getUser(
  services: Services,
  actor: Actor,
  id: number,
  withAttributes = false,
): Promise<UserProfileEntity | (AdminUserEntity & { highest_role: number })> {
  const { db, externalUrl } = services;
  const user = await profileOf(services, actor, id);
  if (!canReadEverything(actor)) {
    const [shown = user] = await hideBotNames(db.read, actor, [user]);
    return presentProfile(shown, actor, externalUrl);
  }
  const view = await adminView(services, user, actor);
  const attributes = withAttributes ? await customAttributesOf(db.read, 'user', [id]) : undefined;
  return {
    ...view,
    ...(attributes ? { custom_attributes: attributes.get(id) ?? [] } : {}),
    highest_role: await highestRole(db.read, id),
  };
}

/** Returns the administrator view of a user, after a change. */
export async function getUserForAdmin(services: Services, actor: Actor, id: number): Promise<AdminUserEntity> {
  return adminView(services, await profileOf(services, actor, id), actor);
}

/** Returns the current user. */
export async function getSelf(services: Services, actor: SignedInActor): Promise<OwnUserEntity | AdminUserEntity> {
  const { id } = actor.user;
  if (isAdmin(actor)) return getUserForAdmin(services, actor, id);
  return ownView(services.db.read, await profileOf(services, actor, id), actor, services.externalUrl);
}

/** Returns the view a user has of themselves, for callers allowed to see it. */
export async function publicViewOf(services: Services, actor: Actor, id: number): Promise<OwnUserEntity> {
  return ownView(services.db.read, await profileOf(services, actor, id), actor, services.externalUrl);
}

/** Lists the users provisioned by a group. */
export async function provisionedUsers(
  { db, externalUrl }: Services,
  actor: Actor,
  group: number,
  filters: ProvisionedFilters,
  page: PageRequest,
): Promise<Page<OwnUserEntity>> {
  const scope = { viewer: callerId(actor), group, privileged: canReadEverything(actor) };
  const order = { by: 'id', direction: 'desc' } as const;
  const { rows, total } = await provisionedList.page(db.read, scope, filters, order, page);
  const identities = await identitiesOf(
    db.read,
    rows.map(({ id }) => id),
  );
  return new Page(rows, total).map((row) => presentOwn(row, identities.get(row.id) ?? [], actor, externalUrl));
}

/**
 * Returns the basic views of these users keyed by id, with at most one query; unknown ids are omitted. `known` is a
 * user already loaded, usually the caller.
 */
export async function basicUsers(
  db: Reader,
  ids: Iterable<number | null | undefined>,
  externalUrl: string,
  known: User | null = null,
): Promise<Map<number, BasicUserEntity>> {
  const missing = new Set(ids);
  const rows: BasicUserRow[] = known && missing.delete(known.id) ? [known] : [];
  const others = [...missing].filter((id): id is number => id != null);
  if (others.length > 0) rows.push(...(await findBasicUsers(db, others)));
  return new Map(rows.map((row) => [row.id, presentBasicUser(row, externalUrl)]));
}

/** Returns the view that a user has of themselves. */
export async function ownView(db: Reader, user: ProfileRow, actor: Actor, externalUrl: string): Promise<OwnUserEntity> {
  const identities = await identitiesOf(db, [user.id]);
  return presentOwn(user, identities.get(user.id) ?? [], actor, externalUrl);
}

async function adminView({ db, externalUrl }: Services, user: ProfileRow, actor: Actor): Promise<AdminUserEntity> {
  const [view] = await adminViews(db.read, [user], actor, externalUrl);
  if (!view) throw new NotFound('User');
  return view;
}

/** Returns the administrator views of users with two queries in total. */
export async function adminViews(
  db: Reader,
  users: readonly ProfileRow[],
  actor: Actor,
  externalUrl: string,
): Promise<AdminUserEntity[]> {
  const identities = await identitiesOf(
    db,
    users.map((user) => user.id),
  );
  const creators = await basicUsers(
    db,
    users.map((user) => user.created_by_id),
    externalUrl,
  );
  return users.map((user) => {
    const own = presentOwn(user, identities.get(user.id) ?? [], actor, externalUrl);
    return presentForAdmin(
      own,
      user,
      (user.created_by_id == null ? undefined : creators.get(user.created_by_id)) ?? null,
    );
  });
}
