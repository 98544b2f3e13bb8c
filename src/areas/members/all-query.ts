import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../../access/actor.ts';
import { visibleGroups } from '../../access/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { isProject, namespaceOf, type Place } from './place.ts';
import { inForce } from './store.ts';

/** A role that a user holds in a place, and where it comes from. */
export interface Held {
  user_id: number;
  access_level: number;
  expires_at: number | null;
  created_at: number;
  created_by_id: number | null;
  /** The group that it comes from; null where it is of a project itself. */
  source_id: number | null;
}

const fields = sql`m.user_id, m.created_at, m.created_by_id, m.namespace_id as source_id, m.id as member_id`;
const own = sql`${fields}, m.access_level, m.expires_at`;
// Through an invited group one holds the lower of the two roles, until the earlier of the two days.
const lent = sql`${fields},
  case when s.access_level < m.access_level then s.access_level else m.access_level end as access_level,
  case when m.expires_at is null or s.expires_at < m.expires_at then s.expires_at else m.expires_at end as expires_at`;

/** Every role that anyone holds in the place, once for each way they have come to it. */
function everyRole(db: Reader, actor: Actor, place: Place): RawBuilder<unknown> {
  const namespace = namespaceOf(place).id;
  const known = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where((eb) => visibleGroups(eb, actor));
  const project = isProject(place) ? place.project.id : 0;
  const direct = sql`
    select ${own}, 0 as distance from members m where m.project_id = ${project} and ${inForce('m')}`;
  const fromGroups = sql`
    select ${own}, a.depth + 1 as distance
    from namespace_ancestors a join members m on m.namespace_id = a.ancestor_id
    where a.namespace_id = ${namespace} and ${inForce('m')}`;
  const fromInvitedGroups = sql`
    select ${lent}, 100 as distance
    from namespace_ancestors a
    join group_shares s on s.namespace_id = a.ancestor_id
    join namespace_ancestors g on g.namespace_id = s.with_namespace_id
    join members m on m.namespace_id = g.ancestor_id
    where a.namespace_id = ${namespace} and ${inForce('m')} and ${inForce('s')} and s.with_namespace_id in ${known}`;
  const fromGroupsInvitedToProject = sql`
    select ${lent}, 100 as distance
    from project_shares s
    join namespace_ancestors g on g.namespace_id = s.with_namespace_id
    join members m on m.namespace_id = g.ancestor_id
    where s.project_id = ${project} and ${inForce('m')} and ${inForce('s')} and s.with_namespace_id in ${known}`;
  const ways = isProject(place)
    ? [direct, fromGroups, fromInvitedGroups, fromGroupsInvitedToProject]
    : [fromGroups, fromInvitedGroups];
  return sql.join(ways, sql` union all `);
}

/** One row for each user who holds a role in the place: the highest, and among equals the nearest. */
export function highestRoles(db: Reader, actor: Actor, place: Place) {
  const best = sql<Held>`(
    select * from (
      select roles.*, row_number() over (
        partition by user_id order by access_level desc, distance, member_id) as rank_of_role
      from (${everyRole(db, actor, place)}) roles) ranked
    where rank_of_role = 1)`;
  return db
    .selectFrom(best.as('held'))
    .innerJoin('users', 'users.id', 'held.user_id')
    .select([
      'held.user_id',
      'held.access_level',
      'held.expires_at',
      'held.created_at',
      'held.created_by_id',
      'held.source_id',
      'users.email',
      'users.kind',
      'users.state',
    ]);
}
