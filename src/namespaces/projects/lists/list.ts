import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { projectRoles, Visibility, visibilityNames } from '../../../access/roles.ts';
import { isArchivedProject } from '../../../access/visibility/archived.ts';
import {
  hasProjectRole,
  memberNamespaceIds,
  memberProjectIds,
  projectIdsWithDirectRole,
} from '../../../access/visibility/visible.ts';
import { attributeParams, hasAttributes } from '../../../people/custom-attributes/public.ts';
import type { Bound } from '../../../platform/database/bound.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { Engine } from '../../../platform/database/engine.ts';
import { contains, idAt, isInIds } from '../../../platform/database/expressions.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { type Param as Placeholder, statement } from '../../../platform/database/statement.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { type Param, param } from '../../../platform/http/params.ts';
import { dayToInstant } from '../../../platform/http/schema.ts';
import { driving, type Filter } from '../../../platform/list-kit/filter.ts';
import { compare, equals, flag, matches, matchesAll, whenTrue } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn, byExpression, byId } from '../../../platform/list-kit/order.ts';
import { boundsFilter, forksOf, numbered } from './bounds-list.ts';
import { search } from './search-list.ts';

/** Viewer of a project list and what is visible to them. */
export interface ProjectScope {
  /** Visibility levels visible without a role. */
  readonly open: readonly number[];
  /** Visibility levels that require a role, and the minimum role. */
  readonly guarded: readonly number[];
  readonly least: number;
  readonly user?: number | undefined;
  readonly now: number;
  readonly admin: boolean;
  /** Whether only members get the list at all. */
  readonly ofMembers: boolean;
  /** Whether the list is scanned in its order, with one scope per visibility level. */
  readonly walked: boolean;
  /** The user is a member of few projects: the list starts from them. */
  readonly own?: 'few' | undefined;
  /** Search text for `order_by=similarity`. */
  readonly likeness?: string | undefined;
}

const scope = boundProperties<ProjectScope>()({ values: ['user', 'least', 'now', 'likeness'] });
type Scope = BoundFilterOf<typeof scope>;
type Condition = RawBuilder<SqlBool>;

const builder = expressionBuilder<Tables, 'projects'>();

const levels = Object.values(Visibility);
const visibleAs = (requested: readonly number[], visibility = sql`projects.visibility`): Condition =>
  sql`${visibility} in (${sql.join(requested.map((level) => sql.lit(level)))})`;

/** Visible in any way. */
function anyVisibility({ open, guarded, user, least, now }: Scope): Expression<SqlBool> {
  const ways: Expression<SqlBool>[] = [];
  if (open.length > 0) ways.push(visibleAs(open));
  if (user && guarded.length > 0) {
    ways.push(builder.and([visibleAs(guarded), hasProjectRole(user, least, now)]));
  }
  return ways.length === 0 ? sql<SqlBool>`1 = 0` : builder.or(ways);
}

/**
 * Conditions of one scope of a scan, which a single index returns in order. As one condition, "public or mine" makes
 * both engines read the whole table.
 */
function walkedConditions({ open, guarded, user, least, now, own }: Scope, engine: Engine): Expression<SqlBool>[] {
  if (guarded.length === 0) return [visibleAs(open)];
  if (!user) return [sql<SqlBool>`1 = 0`];
  // If all visibility levels qualify, the column is not checked, so that counting reads no projects. Otherwise the
  // unary plus keeps the engine from scanning a possibly long visibility index for the user's few projects.
  if (own)
    return [
      isInIds(sql.ref<number>('projects.id'), memberProjectIds(user, least, now), engine),
      ...(guarded.length === levels.length ? [] : [visibleAs(guarded, sql`+projects.visibility`)]),
    ];
  const mine = sql<SqlBool>`(projects.namespace_id in (${memberNamespaceIds(user, least, now)})
    or projects.id in (${projectIdsWithDirectRole(user, least, now)}))`;
  return [visibleAs(guarded), mine];
}

const markedNamespaces = sql`
  select a.namespace_id from namespace_ancestors a join namespaces n on n.id = a.ancestor_id
  where n.marked_for_deletion_at is not null`;

const isArchived = isArchivedProject('projects');
const isInactive: Condition = sql`(${isArchived} or projects.namespace_id in (${markedNamespaces}))`;

/** The feature is enabled for the caller: for everyone who can see the project, or for its members. */
function featureFor(column: 'issues_access' | 'merge_requests_access') {
  return ({ ofMembers, admin, user, now }: Scope): Expression<SqlBool> => {
    if (ofMembers || admin) return builder(`projects.${column}`, '>', 0);
    const open = builder(`projects.${column}`, '=', 20);
    if (!user) return open;
    const mine = hasProjectRole(user, undefined, now);
    return builder.or([open, builder.and([builder(`projects.${column}`, '=', 10), mine])]);
  };
}

/** Parameters handled by the scope, or accepted without effect. */
function handledByScope<P extends Param<unknown>>(declared: P): Filter<P, unknown, false> {
  return { param: declared, negatable: false, read: () => undefined, condition: () => sql<SqlBool>`1 = 1` };
}

const starredBy = ({ user }: Scope) => sql<{ id: number }>`select project_id as id from stars where user_id = ${user}`;
const withTopic = (which: RawBuilder<unknown>) =>
  sql<{
    id: number;
  }>`select pt.project_id as id from project_topics pt join topics t on t.id = pt.topic_id where ${which}`;
const topicNamed = (name: unknown) => withTopic(sql`lower(t.name) = lower(${name})`);
const topicNumbered = (id: unknown) => withTopic(sql`t.id = ${id}`);
const inLanguage = (name: unknown) =>
  sql<{ id: number }>`select project_id as id from project_languages where lower(name) = lower(${name})`;
const among = (ids: RawBuilder<unknown>): Condition => sql`projects.id in (${ids})`;

const day = 24 * 60 * 60 * 1000;
const markedOn = (text: Bound<string>): Condition =>
  sql`projects.marked_for_deletion_at between ${text.to(dayToInstant)} and ${text.to((each) => dayToInstant(each) + day - 1)}`;

/** All pairs of the map must match. */
const customAttributes: Filter<typeof attributeParams.custom_attributes, unknown, false> = {
  param: attributeParams.custom_attributes,
  negatable: false,
  read: (sent: Readonly<Record<string, string>>) => ({ values: Object.entries(sent).flat() }),
  condition: ({ values }) => {
    const texts = values as readonly unknown[] as readonly Bound<string>[];
    const pairs = texts.flatMap((text, index) => (index % 2 === 0 ? [[text, texts[index + 1] as Bound<string>]] : []));
    return hasAttributes('project', 'projects.id', pairs);
  },
};

function similarity({ likeness }: Scope): RawBuilder<unknown>[] {
  if (!likeness) return [];
  return [
    sql`(case when lower(projects.path) = ${likeness} or lower(projects.name) = ${likeness} then 3
      when substr(lower(projects.path), 1, length(${likeness})) = ${likeness} then 2
      when ${contains(sql.ref('projects.name'), likeness)} then 1 else 0 end)`,
  ];
}

/** The project lists: all, by group, by user. Filters that bound a list and leave few projects come first. */
export const projectList = list({
  id: 'projects.id',
  scope,
  lateRows: true,
  filters: {
    within: boundsFilter,
    numbered,
    forked_from: forksOf,
    starred: driving(
      whenTrue(
        (ask: Scope) => among(starredBy(ask)),
        param.boolean({ description: 'Only projects starred by the caller' }),
      ),
      { ids: (_, ask: Scope) => starredBy(ask), ordered: true, counts: true, owned: true },
    ),
    topic: driving(
      matchesAll(param.commaList({ description: 'All topics must match' }), (name) => among(topicNamed(name))),
      { ids: ({ values }) => sql`${sql.join(values.map(topicNamed), sql` intersect `)}` },
    ),
    topic_id: driving(
      matches(param.integer(), (id) => among(topicNumbered(id))),
      { ids: ({ values: [id] }) => topicNumbered(id) },
    ),
    with_programming_language: driving(
      matches(param.string(), (name) => among(inLanguage(name))),
      { ids: ({ values: [name] }) => inLanguage(name) },
    ),
    search,
    exclude_forks: whenTrue(sql<SqlBool>`projects.forked_from_id is null`),
    search_namespaces: handledByScope(param.boolean()),
    archived: flag(isArchived, { otherwise: sql<SqlBool>`not ${isArchived}` }),
    active: flag(sql<SqlBool>`not ${isInactive}`, { otherwise: isInactive }),
    visibility: handledByScope(param.oneOf(visibilityNames)),
    owned: handledByScope(param.boolean()),
    membership: handledByScope(param.boolean()),
    min_access_level: handledByScope(param.integerOf(projectRoles)),
    imported: whenTrue(
      ({ user }: Scope) =>
        sql<SqlBool>`projects.import_type is not null and projects.creator_id = ${user ?? sql.lit(0)}`,
    ),
    with_issues_enabled: whenTrue(featureFor('issues_access')),
    with_merge_requests_enabled: whenTrue(featureFor('merge_requests_access')),
    id_after: compare('projects.id', '>', param.integer()),
    id_before: compare('projects.id', '<', param.integer()),
    last_activity_after: compare('projects.last_activity_at', '>', param.dateTime()),
    last_activity_before: compare('projects.last_activity_at', '<', param.dateTime()),
    updated_after: compare('projects.updated_at', '>', param.dateTime()),
    updated_before: compare('projects.updated_at', '<', param.dateTime()),
    marked_for_deletion_on: matches(param.date(), markedOn),
    repository_storage: equals('projects.repository_storage', param.string({ description: 'Administrators only' })),
    custom_attributes: customAttributes,
    // There are no Geo replicas whose checksums could fail.
    wiki_checksum_failed: whenTrue(sql<SqlBool>`1 = 0`),
    repository_checksum_failed: whenTrue(sql<SqlBool>`1 = 0`),
    include_pending_delete: handledByScope(param.boolean({ description: 'Administrators only' })),
    include_hidden: handledByScope(param.boolean()),
  },
  orders: {
    id: byId,
    name: byColumn('projects.name', 'text'),
    path: byColumn('projects.path', 'text'),
    created_at: byId,
    updated_at: byColumn('projects.updated_at', 'integer'),
    last_activity_at: byColumn('projects.last_activity_at', 'integer'),
    similarity: byExpression<Scope>(({ direction, scope: ask }) => similarity(ask).map((key) => [key, direction])),
    star_count: byColumn('projects.star_count', 'integer'),
    storage_size: byExpression(({ direction }) => [
      [
        sql`(projects.repository_size + projects.wiki_size + projects.lfs_objects_size + projects.uploads_size + projects.packages_size)`,
        direction,
      ],
    ]),
    repository_size: byColumn('projects.repository_size', 'integer'),
    wiki_size: byColumn('projects.wiki_size', 'integer'),
    packages_size: byColumn('projects.packages_size', 'integer'),
  },
  select: (db, ask, engine) => {
    const conditions = ask.walked ? walkedConditions(ask, engine) : [anyVisibility(ask)];
    return db
      .selectFrom('projects')
      .selectAll('projects')
      .where((eb) => eb.and(conditions));
  },
});

/**
 * Up to this number of own projects a list starts from them; above it the list is scanned in order, which soon finds
 * matches.
 */
const maxOwn = 5000;

const projectsOfUser = statement((db, value: Placeholder<{ user: number; least: number; now: number }>) => {
  const mine = memberProjectIds(value('user'), value('least'), value('now'));
  return db.selectNoFrom([idAt(mine, 0).as('first'), idAt(mine, maxOwn).as('beyond')]);
});

/** Whether a user holds a given minimum role in no, few or many projects. */
export async function memberProjectsSize(
  db: Reader,
  user: number,
  { least, now }: Pick<ProjectScope, 'least' | 'now'>,
): Promise<'none' | 'few' | 'many'> {
  const { first = null, beyond = null } = (await projectsOfUser.first(db, { user, least, now })) ?? {};
  if (first === null) return 'none';
  return beyond === null ? 'few' : 'many';
}
