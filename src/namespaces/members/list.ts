import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import {
  belongsTo,
  namespaceOf,
  type OwnerColumns,
  ownerColumnsOf,
  type ProjectOrGroup,
} from '../../access/project-or-group.ts';
import { userSearch } from '../../access/search.ts';
import { roleElsewhere } from '../../access/visibility/member-roles.ts';
import { type NumberOrParameter, type Viewer, viewerOf, visibleGroups } from '../../access/visibility/visible.ts';
import type { Bound } from '../../platform/database/bound.ts';
import { contains, sameIgnoringCase } from '../../platform/database/expressions.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import { searchFor } from '../../platform/database/search-index.ts';
import { shapedQuery } from '../../platform/database/shaped.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { param } from '../../platform/http/params.ts';
import { type Filter, termNarrower } from '../../platform/list-kit/filter.ts';
import { equals, excludes, joinConditions } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { wordsOf } from '../../platform/list-kit/searching.ts';
import { notExpired } from './store.ts';

/** A role of a user in a project or group, and its source. */
export interface HeldRole {
  user_id: number;
  access_level: number;
  expires_at: number | null;
  created_at: number;
  created_by_id: number | null;
  /** The custom role, and the level of the membership that has it. */
  role: number | null;
  level: number;
  /** The invitation of a group through which the role is held. */
  share_level: number | null;
  share_role: number | null;
  /** The group that grants the role; null for a project's own membership. */
  source_id: number | null;
}

/** Viewer and project or group of a member list. */
interface MemberScope extends Viewer, OwnerColumns {
  /** The namespace from which roles are inherited. */
  readonly namespace: number;
  /** E-mail column that the viewer may search; addresses match only as a whole. */
  readonly address: 'email' | 'public_email';
  /** Include expired memberships. */
  readonly ended?: boolean;
  /** Only memberships awaiting approval. */
  readonly waiting?: boolean;
}

const values = ['user', 'now', 'namespace_id', 'project_id', 'namespace'] as const;
const scope = boundProperties<MemberScope>()({ values });
type BoundScope = BoundFilterOf<typeof scope>;

export function scopeOf(actor: Actor, subject: ProjectOrGroup): MemberScope {
  return {
    ...viewerOf(actor),
    ...ownerColumnsOf(subject),
    namespace: namespaceOf(subject).id,
    address: isAdmin(actor) ? 'email' : 'public_email',
  };
}

/**
 * Filters by name, username or e-mail address; `idsOf` selects the rows of the list that belong to the matching users.
 */
export function userQuery<S extends Pick<MemberScope, 'address'> = BoundScope>(
  idsOf: (users: RawBuilder<{ id: number }>, scope: S) => RawBuilder<{ id: number }>,
): Filter<ReturnType<typeof param.string>, S, false> {
  return {
    param: param.string({ description: 'Search in names and usernames' }),
    negatable: false,
    read: (sent: string) => {
      if (sent === '') return undefined;
      // E-mail addresses are not part of the search index.
      const words = wordsOf(sent);
      const { terms = [], match } = searchFor(...(sent.includes('@') ? [] : words));
      const word = `${words.length}`;
      if (match === undefined) return { word, values: [sent, ...words], many: true };
      return { word, values: [sent, ...words, match, ...terms] };
    },
    condition: ({ word, values = [] }, { address }) => {
      const [sent, ...others] = values as Bound<string>[] as [Bound<string>, ...Bound<string>[]];
      const named = others.slice(0, Number(word)).map((each) => {
        const columns = ['users.name', 'users.username'].map((column) => contains(sql.ref<string>(column), each));
        return joinConditions(columns, 'or');
      });
      const email = sameIgnoringCase(sql.ref<string>(`users.${address}`), sent);
      return joinConditions([joinConditions(named, 'and'), email], 'or');
    },
    drive: {
      index: userSearch,
      narrowed: termNarrower(userSearch, ({ word }) => 1 + Number(word)),
      ids: ({ word, values = [] }, asked, engine) => {
        const [match, ...terms] = (values as Bound<string>[]).slice(1 + Number(word));
        return idsOf(userSearch.candidates({ match, terms, anyColumn: true }, engine), asked);
      },
    },
  };
}

const user_ids = equals('users.id', param.integers());

const memberColumns = ['user_id', 'access_level', 'expires_at', 'created_at', 'created_by_id'] as const;
const userColumns = ['users.email', 'users.kind', 'users.state'] as const;

/** Direct members of the project or group. */
export const directMembers = list({
  id: 'members.id',
  scope,
  filters: {
    query: userQuery(
      (users, asked) => sql`select members.id from members where ${belongsTo('members', asked)}
        and members.user_id in (${users})`,
    ),
    user_ids,
    skip_users: excludes('users.id', param.integers()),
  },
  orders: { id: byId },
  select: (db, asked) => {
    const query = db
      .selectFrom('members')
      .innerJoin('users', 'users.id', 'members.user_id')
      .select(memberColumns.map((column) => `members.${column}` as const))
      .select(['members.namespace_id as source_id', 'members.member_role_id as role', 'members.access_level as level'])
      .select([
        sql<number | null>`cast(null as integer)`.as('share_level'),
        sql<number | null>`cast(null as bigint)`.as('share_role'),
      ])
      .select(userColumns)
      .where(belongsTo('members', asked));
    return asked.ended ? query : query.where(notExpired('members', asked.now));
  },
});

const fields = sql`m.user_id, m.created_at, m.created_by_id, m.namespace_id as source_id, m.id as member_id`;
const own = sql`${fields}, m.access_level, m.expires_at, m.member_role_id as role, m.access_level as level,
  cast(null as integer) as share_level, cast(null as bigint) as share_role`;
// Through an invited group a user has the lower of the two roles until the earlier of the two expiry dates.
const lent = (namespace: RawBuilder<unknown>) => sql`${fields},
  case when s.access_level < m.access_level then s.access_level else m.access_level end as access_level,
  case when m.expires_at is null or s.expires_at < m.expires_at then s.expires_at else m.expires_at end as expires_at,
  ${roleElsewhere(namespace)} as role, m.access_level as level, s.access_level as share_level,
  s.member_role_id as share_role`;

/** A source of roles: the columns to select, its distance, and the tables providing the memberships `m`. */
interface Way {
  readonly columns: RawBuilder<unknown>;
  readonly distance: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
}

interface Where extends Viewer<NumberOrParameter> {
  readonly namespace: NumberOrParameter;
  readonly project_id?: NumberOrParameter | undefined;
  readonly waiting?: boolean | undefined;
}

/** Memberships in the project itself and in the groups above. */
function ownWays({ namespace, project_id, now, waiting }: Where): Way[] {
  const members = sql.table(waiting ? 'awaiting_members' : 'members');
  const inGroups: Way = {
    columns: own,
    distance: sql`a.depth + 1`,
    from: sql`namespace_ancestors a join ${members} m on m.namespace_id = a.ancestor_id
      where a.namespace_id = ${namespace} and ${notExpired('m', now)}`,
  };
  if (!project_id) return [inGroups];
  const from = sql`${members} m where m.project_id = ${project_id} and ${notExpired('m', now)}`;
  return [{ columns: own, distance: sql`0`, from }, inGroups];
}

/** All sources of roles in a project or group. Invited groups that the viewer cannot see are left out. */
function waysTo(db: Kysely<Tables>, where: Where): Way[] {
  const { namespace, project_id, now, waiting } = where;
  const ways = ownWays(where);
  if (waiting) return ways;
  const known = sql`exists ${db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where(sql<SqlBool>`namespaces.id = s.with_namespace_id`)
    .where((eb) => visibleGroups(eb, where))}`;
  const invited = sql`
    join namespace_ancestors g on g.namespace_id = s.with_namespace_id
    join members m on m.namespace_id = g.ancestor_id
    where ${notExpired('m', now)} and ${notExpired('s', now)} and ${known}`;
  ways.push({
    columns: lent(sql`a.namespace_id`),
    distance: sql`100`,
    from: sql`namespace_ancestors a join group_shares s on s.namespace_id = a.ancestor_id ${invited}
      and a.namespace_id = ${namespace}`,
  });
  if (!project_id) return ways;
  const shares = sql`project_shares s ${invited} and s.project_id = ${project_id}`;
  return [...ways, { columns: lent(sql`${namespace}`), distance: sql`100`, from: shares }];
}

/** All users with a role in the project or group, each once. */
export const allMembers = list({
  id: 'users.id',
  scope,
  filters: {
    query: userQuery((users) => users),
    user_ids,
  },
  orders: { id: byId },
  select: (db, asked) => {
    const each = waysTo(db, asked).map(({ from }) => sql`select m.user_id from ${from}`);
    return db
      .selectFrom('users')
      .innerJoin(sql<{ user_id: number }>`(${sql.join(each, sql` union `)})`.as('held'), 'held.user_id', 'users.id')
      .select('held.user_id');
  },
});

const ofUsers = boundProperties<MemberScope & { readonly users: readonly number[] }>()({ values, lists: ['users'] });

/** The highest role of each requested user; among equal roles the nearest. */
export const highestRoles = shapedQuery(ofUsers, (db, asked) => {
  const each = waysTo(db, asked).map(
    ({ columns, distance, from }) =>
      sql`select ${columns}, ${distance} as distance from ${from} and m.user_id in ${asked.users}`,
  );
  const best = sql<HeldRole>`(
    select * from (
      select roles.*, row_number() over (
        partition by user_id order by access_level desc, distance, member_id) as rank_of_role
      from (${sql.join(each, sql` union all `)}) roles) ranked
    where rank_of_role = 1)`;
  return db
    .selectFrom(best.as('held'))
    .innerJoin('users', 'users.id', 'held.user_id')
    .select(memberColumns.map((column) => `held.${column}` as const))
    .select(['held.source_id', 'held.role', 'held.level', 'held.share_level', 'held.share_role', ...userColumns])
    .orderBy('held.user_id');
});
