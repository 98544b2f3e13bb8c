import { Role } from '../../access/roles.ts';
import type { Reader } from '../../platform/database/database.ts';

/** The groups that nobody else owns, neither there nor in a group above; the outermost first. */
export function solelyOwnedGroups(db: Reader, user: number): Promise<{ id: number }[]> {
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
            .innerJoin('members as o', 'o.namespace_id', 'a.ancestor_id')
            .innerJoin('users as u', 'u.id', 'o.user_id')
            .select('o.id')
            .whereRef('a.namespace_id', '=', 'n.id')
            .where('o.user_id', '<>', user)
            .where('u.kind', '=', 'human')
            .where('o.access_level', '>=', Role.owner)
            .where((is) => is.or([is('o.expires_at', 'is', null), is('o.expires_at', '>', now)])),
        ),
      ),
    )
    .orderBy('n.full_path')
    .execute();
}
