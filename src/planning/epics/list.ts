import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../access/roles.ts';
import { memberNamespaceIds, type Viewer } from '../../access/visibility/visible.ts';
import type { Bound } from '../../platform/database/bound.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import { SearchIndex } from '../../platform/database/search-index.ts';
import { shapedQuery } from '../../platform/database/shaped.ts';
import { param } from '../../platform/http/params.ts';
import { driving, negatable } from '../../platform/list-kit/filter.ts';
import { choice, compare, equals, isSet, matches, matchesAll, withKeywords } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byExpression, byNullable } from '../../platform/list-kit/order.ts';
import { searchFilters } from '../../platform/list-kit/searching.ts';
import { isOfTitle } from '../labels/public.ts';
import type { EpicRow } from './tables.ts';

type Condition = RawBuilder<SqlBool>;

/** The scope of an epic query and the user it is executed for. */
export interface EpicScope extends Viewer {
  readonly group?: number | undefined;
  readonly below: boolean;
  readonly above: boolean;
  /** Only the children of this epic, in whatever group they are. */
  readonly parent?: number | undefined;
}

const scope = boundProperties<EpicScope>()({ values: ['group', 'parent', 'user', 'now'] });
type Scope = BoundFilterOf<typeof scope>;

const never: Condition = sql`1 = 0`;
const userOf = ({ user }: Scope): Expression<number> => user ?? sql<number>`0`;

type Viewing = Pick<Scope, 'sees' | 'user' | 'now'>;

/** Condition that group `n` is visible to the caller. */
function visible({ sees, user, now }: Viewing): Condition {
  if (sees === 'all') return sql`1 = 1`;
  const member: Condition = user === undefined ? never : sql`n.id in (${memberNamespaceIds(user, Role.minimal, now)})`;
  return sql`(n.visibility >= ${sql.lit(Visibility[sees])} or ${member})`;
}

function places(ask: Scope): Condition {
  const { group, below, above, parent } = ask;
  if (parent !== undefined) {
    return sql`epics.parent_id = ${parent}
      and exists (select 1 from namespaces n where n.id = epics.namespace_id and ${visible(ask)})`;
  }
  const kin: Condition[] = [sql`epics.namespace_id = ${group}`];
  if (below) {
    kin.push(sql`epics.namespace_id in (select a.namespace_id from namespace_ancestors a
      join namespaces n on n.id = a.namespace_id where a.ancestor_id = ${group} and ${visible(ask)})`);
  }
  if (above) {
    kin.push(sql`epics.namespace_id in (select a.ancestor_id from namespace_ancestors a
      join namespaces n on n.id = a.ancestor_id where a.namespace_id = ${group} and ${visible(ask)})`);
  }
  return sql`(${sql.join(kin, sql` or `)})`;
}

/** Condition that an epic is not confidential, or that the caller is at least planner. */
function openTo({ sees, user, now }: Viewing): Condition {
  if (sees === 'all') return sql`1 = 1`;
  const planned: Condition =
    user === undefined ? never : sql`epics.namespace_id in (${memberNamespaceIds(user, Role.planner, now)})`;
  return sql`(epics.confidential = 0 or ${planned})`;
}

/** Condition that the caller may read an epic of `epics`, whose group is `n`. */
export const isReadableEpic = (ask: Viewing): Condition => sql`${visible(ask)} and ${openTo(ask)}`;

const labelled = (title: Bound<string | number>): Condition =>
  sql`exists (select 1 from epic_labels el join labels l on l.id = el.label_id
    where el.epic_id = epics.id and ${isOfTitle(sql.ref('l.title'), title)})`;
const someLabel: Condition = sql`exists (select 1 from epic_labels el where el.epic_id = epics.id)`;

const reacted = (ask: Scope, which: Condition): Condition =>
  sql`exists (select 1 from award_emoji e where e.user_id = ${userOf(ask)} and e.awardable_type = 'Epic'
    and e.awardable_id = epics.id and ${which})`;

/** Epic lists: of a group with its descendants and ancestors, and of the children of an epic. */
export const epicList = list({
  id: 'epics.id',
  scope,
  filters: {
    author_id: negatable(driving(equals('epics.author_id', param.integer()))),
    author_username: negatable(
      matches(
        param.string(),
        (name): Condition => sql`epics.author_id = (select id from users where lower(username) = lower(${name}))`,
      ),
    ),
    confidential: isSet('epics.confidential'),
    created_after: compare('epics.created_at', '>=', param.dateTime()),
    created_before: compare('epics.created_at', '<=', param.dateTime()),
    updated_after: compare('epics.updated_at', '>=', param.dateTime()),
    updated_before: compare('epics.updated_at', '<=', param.dateTime()),
    iids: equals('epics.iid', param.integers()),
    labels: negatable(
      withKeywords(
        { None: sql<SqlBool>`not ${someLabel}`, Any: someLabel },
        matchesAll(param.commaList(), (title) => labelled(title)),
        { anywhere: true },
      ),
    ),
    my_reaction_emoji: withKeywords(
      {
        None: (ask: Scope): Condition => sql`not ${reacted(ask, sql`1 = 1`)}`,
        Any: (ask: Scope): Condition => reacted(ask, sql`1 = 1`),
      },
      matches(param.string(), (name, ask: Scope) => reacted(ask, sql`e.name = ${name}`)),
    ),
    state: choice({
      opened: sql<SqlBool>`epics.state = 'opened'`,
      closed: sql<SqlBool>`epics.state = 'closed'`,
      all: null,
    }),
    ...searchFilters({
      index: new SearchIndex({ table: 'epics', columns: ['title', 'description'], inPieces: true }),
      columns: { title: 'epics.title', description: 'epics.description' },
      byWords: true,
    }),
  },
  orders: {
    created_at: byColumn('epics.created_at', 'integer'),
    updated_at: byColumn('epics.updated_at', 'integer'),
    title: byExpression(({ direction }) => [[sql`lower(epics.title)`, direction]], 'desc'),
    relative_position: byNullable('epics.relative_position'),
  },
  select: (db, ask) => db.selectFrom('epics').selectAll('epics').where(places(ask)).where(openTo(ask)),
});

const among = shapedQuery(
  boundProperties<Viewer & { readonly ids: readonly number[] }>()({ values: ['user', 'now'], lists: ['ids'] }),
  (db, ask) =>
    db
      .selectFrom('epics')
      .innerJoin('namespaces as n', 'n.id', 'epics.namespace_id')
      .selectAll('epics')
      .where('epics.id', 'in', ask.ids)
      .where(visible(ask))
      .where(openTo(ask)),
);

/** Filters epics of any group to those that the viewer may read. */
export function filterReadableEpics(db: Reader, viewer: Viewer, ids: readonly number[]): Promise<EpicRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : among.all(db, { ...viewer, ids });
}
