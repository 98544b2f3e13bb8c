import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role } from '../../../access/roles.ts';
import { type NumberOrParameter, type Viewer, visibleGroups } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { boundProperties } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { unindexed } from '../../../platform/list-kit/merge.ts';
import { byColumn, byExpression, byId, byNullable } from '../../../platform/list-kit/order.ts';
import { insideGroup } from '../group-scope-store.ts';
import { userQuery } from '../list.ts';
import { notExpired } from '../store.ts';

interface SeatScope {
  /** The top-level group. */
  readonly group: number;
  readonly now: number;
  /** E-mail column that the viewer may search; addresses match only as a whole. */
  readonly address: 'email' | 'public_email';
}

interface Tree<V extends NumberOrParameter = NumberOrParameter> {
  readonly group: V;
  readonly now: V;
}

interface Seat {
  readonly user_id: number;
  readonly way: number;
}

/** Ways in which a user occupies a seat, nearest first; each is a query of memberships `m`. */
const ways: Readonly<Record<string, (tree: Tree) => RawBuilder<unknown>>> = {
  group_member: ({ group, now }) => sql`namespace_ancestors a join members m on m.namespace_id = a.namespace_id
    where a.ancestor_id = ${group} and ${counts(now)}`,
  project_member: ({ group, now }) => sql`namespace_ancestors a join projects p on p.namespace_id = a.namespace_id
    join members m on m.project_id = p.id where a.ancestor_id = ${group} and ${counts(now)}`,
  group_invite: ({ group, now }) => sql`namespace_ancestors a join group_shares s on s.namespace_id = a.namespace_id
    ${lentTo(now)} and a.ancestor_id = ${group}`,
  project_invite: ({ group, now }) => sql`namespace_ancestors a join projects p on p.namespace_id = a.namespace_id
    join project_shares s on s.project_id = p.id ${lentTo(now)} and a.ancestor_id = ${group}`,
};
const direct = ['group_member', 'project_member'] as const;

/** Members with minimal access occupy no seat. */
const counts = (now: NumberOrParameter) => sql`${notExpired('m', now)} and m.access_level > ${sql.lit(Role.minimal)}`;
const lentTo = (now: NumberOrParameter) => sql`join namespace_ancestors g on g.namespace_id = s.with_namespace_id
  join members m on m.namespace_id = g.ancestor_id
  where ${counts(now)} and ${notExpired('s', now)} and s.access_level > ${sql.lit(Role.minimal)}`;

/** Aggregates `value` over all memberships of a row's user found by the named ways. */
function ofUser(
  tree: Tree,
  names: readonly string[],
  pick: 'max' | 'min',
  value: (way: string) => RawBuilder<unknown>,
) {
  const each = names.map(
    (name) => sql`select ${value(name)} as value from ${ways[name]?.(tree)} and m.user_id = users.id`,
  );
  return sql`(select ${sql.raw(pick)}(value) from (${sql.join(each, sql` union all `)}) as held)`;
}

// Through an invited group a user has the lower of the two roles.
const levelBy = (way: string) =>
  way.endsWith('_invite')
    ? sql`case when s.access_level < m.access_level then s.access_level else m.access_level end`
    : sql`m.access_level`;

const byLevel = byExpression<Tree>(({ direction, scope }) => [
  [ofUser(scope, Object.keys(ways), 'max', levelBy), direction],
]);
/** Users who are members through invited groups only have no join date. */
const byJoining = byExpression<Tree>(({ direction, scope }) => [
  [sql`coalesce(${ofUser(scope, direct, 'min', () => sql`m.created_at`)}, 0)`, direction],
]);

const orders = {
  id: byId,
  name: byColumn('users.name', 'text'),
  access_level: byLevel,
  joined: byJoining,
  sign_in: byNullable('users.current_sign_in_at'),
  last_activity: byNullable('users.last_activity_at'),
} as const;

/** Values of the `sort` parameter. */
export const sorts = {
  access_level_asc: { by: 'access_level', direction: 'asc' },
  access_level_desc: { by: 'access_level', direction: 'desc' },
  last_joined: { by: 'joined', direction: 'desc' },
  name_asc: { by: 'name', direction: 'asc' },
  name_desc: { by: 'name', direction: 'desc' },
  oldest_joined: { by: 'joined', direction: 'asc' },
  oldest_sign_in: { by: 'sign_in', direction: 'asc' },
  recent_sign_in: { by: 'sign_in', direction: 'desc' },
  last_activity_on_asc: { by: 'last_activity', direction: 'asc' },
  last_activity_on_desc: { by: 'last_activity', direction: 'desc' },
} as const satisfies Record<string, { by: keyof typeof orders; direction: 'asc' | 'desc' }>;
export const sortWords = Object.keys(sorts) as (keyof typeof sorts)[];

/** The users who occupy a seat, each once with the nearest way: its position among `ways`. */
const seats = (tree: Tree) => {
  const each = Object.values(ways).map((from, way) => sql`select m.user_id, ${sql.lit(way)} as way from ${from(tree)}`);
  return sql<Seat>`(select user_id, min(way) as way from (${sql.join(each, sql` union all `)}) as held group by user_id)`;
};

/** Billable members of a top-level group, each once. */
export const billableMembers = list({
  id: 'users.id',
  scope: boundProperties<SeatScope>()({ values: ['group', 'now'] }),
  filters: { search: userQuery<Pick<SeatScope, 'address'>>((users) => users) },
  orders,
  select: (db, tree, engine) => {
    const isActive = sql<SqlBool>`users.kind = 'human' and users.state = 'active'`;
    return (
      db
        .selectFrom(seats(tree).as('seats'))
        // With the plus SQLite starts from the seats: otherwise it would iterate over all active users.
        .innerJoin('users', (join) =>
          join.on(sql<SqlBool>`users.id = ${engine === 'sqlite' ? sql`+seats.user_id` : sql`seats.user_id`}`),
        )
        .select(['users.id', 'users.email', 'users.provisioned_by_group_id', 'users.last_activity_at'])
        .select(['users.current_sign_in_at', 'users.created_at', 'seats.way'])
        .where(engine === 'sqlite' ? unindexed(isActive) : isActive)
    );
  },
});

/** The membership type of a billable member: the name of the nearest way in which they occupy a seat. */
export const membershipType = ({ way }: Pick<Seat, 'way'>): string => Object.keys(ways)[way] ?? 'group_member';

/** Memberships of a user in a group hierarchy. */
export function membershipsIn(db: Reader, group: number, user: number, slice: Slice) {
  const query = memberships(db, user).where((eb) =>
    eb('members.id', 'in', eb.selectFrom('members').select('id').where('user_id', '=', user).where(insideGroup(group))),
  );
  return fetchPage(db, query, slice);
}

/** Memberships of a user in groups invited to a hierarchy, as far as the viewer can see these groups. */
export function invitedMemberships(db: Reader, viewer: Viewer, group: number, user: number, slice: Slice) {
  const { now } = viewer;
  const inside = sql`select namespace_id from namespace_ancestors where ancestor_id = ${group}`;
  const invited = sql<number>`(
    select g.ancestor_id from group_shares s join namespace_ancestors g on g.namespace_id = s.with_namespace_id
      where s.namespace_id in (${inside}) and ${notExpired('s', now)}
    union
    select g.ancestor_id from project_shares s join namespace_ancestors g on g.namespace_id = s.with_namespace_id
      join projects p on p.id = s.project_id where p.namespace_id in (${inside}) and ${notExpired('s', now)})`;
  const known = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', 'in', invited)
    .where((eb) => visibleGroups(eb, viewer));
  return fetchPage(db, memberships(db, user).where('members.namespace_id', 'in', known), slice);
}

function memberships(db: Reader, user: number) {
  return db
    .selectFrom('members')
    .leftJoin('projects', 'projects.id', 'members.project_id')
    .innerJoin('namespaces', (join) =>
      join.on(sql<SqlBool>`namespaces.id = coalesce(members.namespace_id, projects.namespace_id)`),
    )
    .select(['members.id', 'members.project_id', 'members.namespace_id', 'members.created_at'])
    .select(['members.expires_at', 'members.access_level', 'namespaces.full_name', 'namespaces.full_path'])
    .select(['projects.name', 'projects.path'])
    .where('members.user_id', '=', user)
    .where(notExpired('members'))
    .orderBy('members.id');
}
