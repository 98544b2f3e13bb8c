import { Role } from '../../../access/roles.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRows } from '../../../platform/database/locks.ts';

/** Locks the groups a user owns so that no other owner can be removed until the transaction ends. */
export async function lockOwnedGroups(trx: Writer, user: number): Promise<void> {
  const owned = await trx
    .selectFrom('members')
    .select('namespace_id as id')
    .where('user_id', '=', user)
    .where('namespace_id', 'is not', null)
    .where('access_level', '>=', Role.owner)
    .execute();
  await lockRows(
    trx,
    'namespaces',
    owned.map(({ id }) => id as number),
  );
}

/** Returns the groups without another (active) owner, direct or inherited; outermost first. */
export function solelyOwnedGroups(db: Reader, user: number, { active = false } = {}): Promise<{ id: number }[]> {
  const now = Date.now();
  return db
    .selectFrom('namespaces as n')
    .innerJoin('members as m', 'm.namespace_id', 'n.id')
    .select('n.id')
    .where('m.user_id', '=', user)
    .where('m.access_level', '>=', Role.owner)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('namespace_ancestors as a')
            // SQLite preserves the order of a cross join; otherwise it would iterate over all active users.
            .crossJoin('members as o')
            .crossJoin('users as u')
            .select('o.id')
            .whereRef('a.namespace_id', '=', 'n.id')
            .whereRef('o.namespace_id', '=', 'a.ancestor_id')
            .whereRef('u.id', '=', 'o.user_id')
            .where('o.user_id', '<>', user)
            .where('u.kind', '=', 'human')
            .$if(active, (query) => query.where('u.state', '=', 'active'))
            .where('o.access_level', '>=', Role.owner)
            .where((is) => is.or([is('o.expires_at', 'is', null), is('o.expires_at', '>', now)])),
        ),
      ),
    )
    .orderBy('n.full_path')
    .execute();
}

export async function markForRemoval(trx: Writer, id: number): Promise<void> {
  await trx.updateTable('namespaces').set({ marked_for_deletion_at: Date.now() }).where('id', '=', id).execute();
}
