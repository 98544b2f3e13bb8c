import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import {
  belongs,
  columnsOf,
  namespaceOf,
  type OwnerColumns,
  type ProjectOrGroup,
} from '../../access/project-or-group.ts';
import { userSearch } from '../../access/search.ts';
import { type Value, type Viewer, viewerOf, visibleGroups } from '../../access/visible.ts';
import { contains, sameIgnoringCase } from '../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../platform/database/form.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../platform/database/search-index.ts';
import { shaped, shapedList } from '../../platform/database/shaped.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { inForce } from './store.ts';

/** A role that a user holds in a project or group, and where it comes from. */
export interface Held {
  user_id: number;
  access_level: number;
  expires_at: number | null;
  created_at: number;
  created_by_id: number | null;
  /** The group that it comes from; null where it is of a project itself. */
  source_id: number | null;
}

export interface MemberFilter {
  readonly query?: string;
  readonly user_ids?: readonly number[];
  readonly skip_users?: readonly number[];
  readonly show_seat_info?: boolean;
  readonly state?: 'awaiting' | 'active';
}

/** A filter as one caller puts it to one project or group. */
interface ListFilter extends Viewer, OwnerColumns, Searching {
  /** The namespace that roles are inherited through. */
  readonly namespace: number;
  readonly search?: string | undefined;
  /** An address is found whole, and only by those who may see it anyway. */
  readonly address: 'email' | 'public_email';
  readonly only?: readonly number[] | undefined;
  readonly skip?: readonly number[] | undefined;
  readonly state?: MemberFilter['state'];
  /** Those too whose time has run out. */
  readonly ended?: boolean;
}

const listFilter = form<ListFilter>()({
  values: ['user', 'now', 'namespace_id', 'project_id', 'namespace', 'search', ...searchValues],
  lists: ['only', 'skip', ...searchLists],
});
type BoundFilter = AskedOf<typeof listFilter>;

const unlessEmpty = (ids: readonly number[] | undefined) => (ids && ids.length > 0 ? ids : undefined);

export function filterOf(actor: Actor, subject: ProjectOrGroup, filter: MemberFilter = {}): ListFilter {
  const search = filter.query || undefined;
  return {
    ...viewerOf(actor),
    ...columnsOf(subject),
    namespace: namespaceOf(subject).id,
    search,
    // An address is not among the texts of the index.
    ...searchFor(search?.includes('@') ? undefined : search),
    address: isAdmin(actor) ? 'email' : 'public_email',
    only: unlessEmpty(filter.user_ids),
    skip: unlessEmpty(filter.skip_users),
    state: filter.state,
  };
}

function narrowing({ search, address, only, skip, state }: BoundFilter): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  if (search) {
    const matches = [
      contains(sql.ref<string>('users.name'), search),
      contains(sql.ref<string>('users.username'), search),
      sameIgnoringCase(sql.ref<string>(`users.${address}`), search),
    ];
    conditions.push(sql<SqlBool>`(${sql.join(matches, sql` or `)})`);
  }
  if (only) conditions.push(sql<SqlBool>`users.id in ${only}`);
  if (skip) conditions.push(sql<SqlBool>`users.id not in ${skip}`);
  // Nobody waits for a seat here.
  if (state === 'awaiting') conditions.push(sql<SqlBool>`1 = 0`);
  return conditions;
}

const heldColumns = [
  'held.user_id',
  'held.access_level',
  'held.expires_at',
  'held.created_at',
  'held.created_by_id',
] as const;
const userColumns = ['users.email', 'users.kind', 'users.state'] as const;

/** The members of the project or group itself. */
export const directMembers = shapedList(listFilter, (db, filter, engine) => {
  const from = db.selectFrom('members as held').innerJoin('users', 'users.id', 'held.user_id');
  const query = userSearch
    .narrow(from, 'users.id', filter, engine)
    .select([...heldColumns, 'held.namespace_id as source_id', ...userColumns])
    .where(belongs('held', filter))
    .where((eb) => eb.and(narrowing(filter)))
    .orderBy('held.id');
  return filter.ended ? query : query.where(inForce('held', filter.now));
});

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

interface Where extends Viewer<Value> {
  readonly namespace: Value;
  readonly project_id?: Value | undefined;
}

/** Every way to a role in a project or group; groups that the viewer may not know of lend none. */
function waysTo(db: Kysely<Tables>, where: Where): Way[] {
  const { namespace, project_id, now } = where;
  const known = sql`exists ${db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where(sql<SqlBool>`namespaces.id = s.with_namespace_id`)
    .where((eb) => visibleGroups(eb, where))}`;
  const invited = sql`
    join namespace_ancestors g on g.namespace_id = s.with_namespace_id
    join members m on m.namespace_id = g.ancestor_id
    where ${inForce('m', now)} and ${inForce('s', now)} and ${known}`;
  const ways: Way[] = [
    {
      columns: own,
      distance: sql`a.depth + 1`,
      from: sql`namespace_ancestors a join members m on m.namespace_id = a.ancestor_id
        where a.namespace_id = ${namespace} and ${inForce('m', now)}`,
    },
    {
      columns: lent,
      distance: sql`100`,
      from: sql`namespace_ancestors a join group_shares s on s.namespace_id = a.ancestor_id ${invited}
        and a.namespace_id = ${namespace}`,
    },
  ];
  if (!project_id) return ways;
  return [
    {
      columns: own,
      distance: sql`0`,
      from: sql`members m where m.project_id = ${project_id} and ${inForce('m', now)}`,
    },
    ...ways,
    { columns: lent, distance: sql`100`, from: sql`project_shares s ${invited} and s.project_id = ${project_id}` },
  ];
}

/** The numbers of all users who hold a role in it, each once. */
export const holders = shapedList(listFilter, (db, filter, engine) => {
  const each = waysTo(db, filter).map(({ from }) => sql`select m.user_id from ${from}`);
  const from = db
    .selectFrom(sql<{ user_id: number }>`(${sql.join(each, sql` union `)})`.as('held'))
    .innerJoin('users', 'users.id', 'held.user_id');
  return userSearch
    .narrow(from, 'users.id', filter, engine)
    .select('held.user_id')
    .where((eb) => eb.and(narrowing(filter)))
    .orderBy('held.user_id');
});

/** For each of the users asked for the highest role they hold in it, and among equals the nearest. */
export const highestRoles = shaped(listFilter, (db, filter) => {
  const each = waysTo(db, filter).map(
    ({ columns, distance, from }) =>
      sql`select ${columns}, ${distance} as distance from ${from} and m.user_id in ${filter.only}`,
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
    .select([...heldColumns, 'held.source_id', ...userColumns])
    .orderBy('held.user_id');
});
