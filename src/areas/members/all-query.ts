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

/** One way to come to a role: whose columns to take, how far it is, and where the memberships `m` are found. */
interface Way {
  readonly columns: RawBuilder<unknown>;
  readonly distance: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
}

function waysTo(db: Reader, actor: Actor, place: Place): Way[] {
  const namespace = namespaceOf(place).id;
  const known = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where((eb) => visibleGroups(eb, actor));
  const invited = sql`
    join namespace_ancestors g on g.namespace_id = s.with_namespace_id
    join members m on m.namespace_id = g.ancestor_id
    where ${inForce('m')} and ${inForce('s')} and s.with_namespace_id in ${known}`;
  const ways: Way[] = [
    {
      columns: own,
      distance: sql`a.depth + 1`,
      from: sql`namespace_ancestors a join members m on m.namespace_id = a.ancestor_id
        where a.namespace_id = ${namespace} and ${inForce('m')}`,
    },
    {
      columns: lent,
      distance: sql`100`,
      from: sql`namespace_ancestors a join group_shares s on s.namespace_id = a.ancestor_id ${invited}
        and a.namespace_id = ${namespace}`,
    },
  ];
  if (!isProject(place)) return ways;
  const { id } = place.project;
  return [
    { columns: own, distance: sql`0`, from: sql`members m where m.project_id = ${id} and ${inForce('m')}` },
    ...ways,
    { columns: lent, distance: sql`100`, from: sql`project_shares s ${invited} and s.project_id = ${id}` },
  ];
}

/** The numbers of all users who hold a role in the place, each once. */
export function holders(db: Reader, actor: Actor, place: Place) {
  const each = waysTo(db, actor, place).map(({ from }) => sql`select m.user_id from ${from}`);
  return db
    .selectFrom(sql<{ user_id: number }>`(${sql.join(each, sql` union `)})`.as('held'))
    .innerJoin('users', 'users.id', 'held.user_id')
    .select('held.user_id');
}

/** For each of these users the highest role they hold in the place, and among equals the nearest. */
export function highestRoles(db: Reader, actor: Actor, place: Place, userIds: readonly number[]) {
  const each = waysTo(db, actor, place).map(
    ({ columns, distance, from }) =>
      sql`select ${columns}, ${distance} as distance from ${from} and m.user_id in (${sql.join([...userIds])})`,
  );
  const best = sql<Held>`(
    select * from (
      select roles.*, row_number() over (
        partition by user_id order by access_level desc, distance, member_id) as rank_of_role
      from (${sql.join(each, sql` union all `)}) roles) ranked
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
    ])
    .orderBy('held.user_id');
}
