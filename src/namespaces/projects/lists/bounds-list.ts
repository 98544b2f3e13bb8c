import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Param } from '../../../platform/http/params.ts';
import { type BoundMeaning, driving, type Filter } from '../../../platform/list-kit/filter.ts';
import { equals } from '../../../platform/list-kit/filters.ts';

/** Bounds of a list: the projects of a group, a project or a user. */
export interface ListBounds {
  readonly within: 'group' | 'shared' | 'personal' | 'starred' | 'contributed' | 'nothing';
  /** Id of the group, project or user. */
  readonly about: number;
  readonly subgroups?: boolean;
  readonly ancestors?: boolean;
  readonly lent?: boolean;
}

/** Time of the request, which decides which shares have expired. */
interface Moment {
  readonly now: RawBuilder<number> | { readonly expressionType?: number | undefined };
}

/** A set of projects: a query for their ids, and a condition for membership. */
interface ProjectSet {
  /** A query with the single column `id`; duplicates are allowed. */
  readonly ids: RawBuilder<{ id: number }>;
  readonly holds: RawBuilder<SqlBool>;
}

/** The projects whose ids are returned by a query with the column `id`. */
const setOf = (ids: RawBuilder<{ id: number }>): ProjectSet => ({
  ids,
  holds: sql<SqlBool>`projects.id in (${ids})`,
});

function bounds({ word = '', values: [about] }: BoundMeaning, moment: Moment): ProjectSet {
  const [boundsFilter, ...which] = word.split(' ');
  switch (boundsFilter) {
    case 'group':
      return inGroup(sql`${about}`, which, moment);
    case 'shared':
      return setOf(sharedWith(sql`${about}`, moment));
    case 'personal':
      return setOf(
        sql`select p.id from projects p join namespaces n on n.id = p.namespace_id where n.owner_id = ${about}`,
      );
    case 'starred':
      return setOf(sql`select project_id as id from stars where user_id = ${about}`);
    case 'contributed':
      return setOf(sql`select project_id as id from derived_contributions where user_id = ${about}`);
    default:
      return setOf(sql`select id from projects where 1 = 0`);
  }
}

function inGroup(about: RawBuilder<unknown>, which: readonly string[], moment: Moment): ProjectSet {
  const below = sql`select namespace_id from namespace_ancestors where ancestor_id = ${about}`;
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${about}`;
  const own = which.includes('subgroups') ? below : about;
  const inside = which.includes('ancestors')
    ? sql<SqlBool>`(projects.namespace_id in (${own}) or projects.namespace_id in (${above}))`
    : sql<SqlBool>`projects.namespace_id in (${own})`;
  if (!which.includes('lent')) return { ids: sql`select id from projects where ${inside}`, holds: inside };
  const lent = sharedWith(own, moment);
  return {
    ids: sql`select id from projects where ${inside} union all ${lent}`,
    holds: sql<SqlBool>`(${inside} or projects.id in (${lent}))`,
  };
}

const sharedWith = (groups: RawBuilder<unknown>, { now }: Moment) => sql<{ id: number }>`
  select project_id as id from project_shares
  where with_namespace_id in (${groups}) and (expires_at is null or expires_at > ${now})`;

/** Not a request parameter: set by the route. */
const routeParam = <T>(): Param<T, 'optional'> => ({ schema: {}, read: () => undefined, presence: 'optional' });
const setByRoute = routeParam<ListBounds>();

/**
 * Restricts a list to its bounds and drives it from them: most such lists are short. A project may be shared with
 * several groups, hence duplicates.
 */
export const boundsFilter: Filter<typeof setByRoute, Moment, false> = {
  param: setByRoute,
  negatable: false,
  read: ({ within: bound, about, ...which }: ListBounds) => ({
    word: [bound, ...Object.entries(which).flatMap(([name, enabled]) => (enabled ? [name] : []))].join(' '),
    values: [about],
  }),
  condition: (given, moment) => bounds(given, moment).holds,
  drive: { ids: (given, moment) => bounds(given, moment).ids },
};

/** The same for bounds that list each project once, ordered by id: read in that order and counted from there. */
export const numbered: typeof boundsFilter = {
  ...boundsFilter,
  drive: { ...boundsFilter.drive, ordered: true, counts: true, owned: true },
};

/** The forks of a project; indexed in order per visibility level. */
export const forksOf = driving(equals('projects.forked_from_id', routeParam<number>()), {
  scoped: true,
  ordered: true,
});
