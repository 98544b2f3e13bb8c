import type { Actor } from '../../access/actor.ts';
import type { Reader } from '../../platform/database/database.ts';
import { basicUsers } from './present.ts';
import type { AdminUserEntity, OwnUserEntity } from './schema.ts';
import { identitiesOf, type ProfileRow } from './store.ts';
import { presentForAdmin, presentOwn } from './views.ts';

/** A user as they see themselves. */
export async function ownView(db: Reader, user: ProfileRow, actor: Actor, externalUrl: string): Promise<OwnUserEntity> {
  const identities = await identitiesOf(db, [user.id]);
  return presentOwn(user, identities.get(user.id) ?? [], actor, externalUrl);
}

/** Users as administrators see them: two queries, however many users. */
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
    return presentForAdmin(own, user, creators.get(user.created_by_id ?? 0) ?? null);
  });
}
