import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Param, param } from '../../../platform/http/params.ts';
import type { BoundMeaning, Drive, Filter, FilterInput, Meaning } from '../../../platform/list-kit/filter.ts';
import { assignee, eligible, requestLabels, reviewer, someLabel, userNamed } from './list-filters.ts';
import type { RequestScopeAsked } from './list-scope.ts';

type Ids = RawBuilder<{ id: number }>;
type Value = Expression<unknown>;
type Condition = RawBuilder<SqlBool>;

const also = (conditions: readonly Condition[]): RawBuilder<unknown> =>
  sql.join(
    conditions.map((condition) => sql` and ${condition}`),
    sql``,
  );

/**
 * Milestones with this title that merge requests in scope can have: those of the project and of any group, because
 * projects can be transferred.
 */
export function milestonesTitled(title: Value, { within, project }: RequestScopeAsked): Ids {
  if (within !== 'project') return sql`select id from milestones where title = ${title}`;
  return sql`select id from milestones where project_id = ${project} and title = ${title}
    union all select id from milestones where title = ${title} and namespace_id is not null`;
}

type Also = Readonly<Record<string, BoundMeaning>>;

/** The indexes of merge requests and of tables joined to them include the state. */
const takesIn = ['state'] as const;

/** Driven by a column that is indexed within projects. */
export const column: Drive<RequestScopeAsked> = { scoped: true, takesIn };

/** Whether IDs selected within a project need no further condition. */
const complete = ({ within, deployment }: RequestScopeAsked): boolean =>
  within === 'project' && deployment === undefined;

/** The condition that merge requests, or rows joined to them, are in scope and in the requested state. */
function inScope(
  rows: 'merge_requests' | 'a' | 'il' | 'p',
  { within, project }: RequestScopeAsked,
  { state }: Also,
): Condition {
  const column = sql.ref(rows === 'merge_requests' ? 'merge_requests.state' : `${rows}.request_state`);
  const inState: Condition = state?.word === undefined ? sql`1 = 1` : sql`${column} = ${sql.lit(state.word)}`;
  return within === 'project' ? sql`${sql.ref(`${rows}.project_id`)} = ${project} and ${inState}` : inState;
}

/** Merge requests that have any labels, assignees or the like, as recorded in a column. */
const having = (some: Condition, ask: RequestScopeAsked, also: Also): Ids =>
  sql`select merge_requests.id from merge_requests where ${some} and ${inScope('merge_requests', ask, also)}`;

type People = typeof assignee;

const withUser = ({ rows }: People, user: Value, ask: RequestScopeAsked, also: Also): Ids =>
  sql`select a.merge_request_id as id from ${rows} a where a.user_id = ${user} and ${inScope('a', ask, also)}`;

const found = { scoped: true, counts: true, complete, takesIn, words: ['Any'] } as const;

/** Driven by the merge requests of a user. */
export const user = (people: People): Drive<RequestScopeAsked> => ({
  ...found,
  ids: ({ word, values: [first] }, ask, _, also) =>
    word === undefined ? withUser(people, first as Value, ask, also) : having(people.some, ask, also),
});

/** Driven by the merge requests of the first of several users; the others are conditions. */
const several = (people: People, find: (value: Value) => Value): Drive<RequestScopeAsked> => ({
  ...found,
  ids: ({ word, values: [first, ...others] }, ask, _, together) => {
    if (word !== undefined) return having(people.some, ask, together);
    const has = (value: Value): Condition => sql`exists (select 1 from ${people.rows} o
      where o.merge_request_id = a.merge_request_id and o.user_id = ${find(value)})`;
    return sql`${withUser(people, find(first as Value), ask, together)}${also(others.map(has))}`;
  },
});
export const users = (people: People) => several(people, (id) => id);
export const usernames = (people: People) => several(people, userNamed);

/** Driven by the emoji reactions of the caller. */
export const reaction: Drive<RequestScopeAsked> = {
  counts: true,
  words: ['Any'],
  ids: ({ word, values: [name] }, { user: caller }) => {
    const named = word === 'Any' ? sql`` : sql` and name = ${name}`;
    return sql`select distinct awardable_id as id from award_emoji
      where user_id = ${caller ?? sql`0`} and awardable_type = 'MergeRequest'${named}`;
  },
};

/** Driven by the merge requests that the caller created, is assigned to, or reviews. */
export const caller: Drive<RequestScopeAsked> = {
  counts: true,
  takesIn,
  ids: ({ word = '' }, ask, _, together) => {
    const me = ask.user ?? sql<number>`0`;
    if (word.startsWith('assigned')) return withUser(assignee, me, ask, together);
    if (word.startsWith('reviews')) return withUser(reviewer, me, ask, together);
    return sql`select merge_requests.id from merge_requests where merge_requests.author_id = ${me}
      and ${inScope('merge_requests', ask, together)}`;
  },
};

const rules = sql`approval_rules r join approval_rule_users ru on ru.rule_id = r.id`;

/** Driven by the approval rules, of merge requests or projects, that name the first user. */
export const approver: Drive<RequestScopeAsked> = {
  words: [],
  ids: ({ values: [first, ...others] }, ask) => {
    const ids: Ids = sql`select r.merge_request_id as id from ${rules}
        where ru.user_id = ${first} and r.merge_request_id is not null
      union all select m.id from ${rules} join merge_requests m on m.project_id = r.project_id
        where ru.user_id = ${first} and r.merge_request_id is null`;
    if (others.length === 0) return ids;
    return sql`select merge_requests.id from merge_requests
      where merge_requests.id in (${ids})${also(others.map((other) => eligible(other, ask)))}`;
  },
};

/** Driven by the merge requests of the first label; the other labels are conditions. */
export const labels: Drive<RequestScopeAsked> = {
  ...found,
  ids: ({ word, values }, ask, engine, together) => {
    if (word !== undefined) return having(someLabel, ask, together);
    const inLabels = (rows: 'il' | 'p') => sql` and ${inScope(rows, ask, together)}`;
    const paired = values.length > 1 && ask.within === 'project' && ask.titlesTell === true;
    return paired ? requestLabels.pairedIds(values, ask, engine, inLabels) : requestLabels.ids(values, ask, inLabels);
  },
};

/** Parts of the combined deployment filter, in the order in which their values are bound. */
const parts = ['environment', 'deployed_after', 'deployed_before'] as const;
type Part = (typeof parts)[number];

/** All deployment filters apply to the same deployment; the first one that was sent represents all of them. */
function readDeployed(own: Part, all: FilterInput): Meaning | undefined {
  const sent = parts.filter((part) => all[part] !== undefined && all[part] !== '');
  if (sent[0] !== own) return undefined;
  return { word: sent.join(), values: sent.map((part) => all[part] as string | number) };
}

const together = (conditions: readonly Condition[]): Condition => sql`(${sql.join([...conditions], sql` and `)})`;

const partsOf = ({ word = '' }: BoundMeaning) => word.split(',') as Part[];

/**
 * Environment names are unique within a project, and merge requests are only deployed to environments of their own
 * project.
 */
const isNamed = (environment: Value, name: Value | undefined, { within, project }: RequestScopeAsked): Condition =>
  within === 'project'
    ? sql`${environment} = (select e.id from environments e where e.project_id = ${project} and e.name = ${name})`
    : sql`${environment} in (select e.id from environments e where e.name = ${name})`;

function deployments(given: BoundMeaning, ask: RequestScopeAsked): Condition {
  const { values } = given;
  const asked = partsOf(given).map((part, at): Condition => {
    if (part === 'environment') return isNamed(sql.ref('dm.environment_id'), values[at], ask);
    return part === 'deployed_after' ? sql`d.finished_at >= ${values[at]}` : sql`d.finished_at <= ${values[at]}`;
  });
  return together(asked);
}

/**
 * Denormalized deployment times of merge requests: sufficient for a single time bound; several bounds have to hold for
 * the same deployment.
 */
function deployedAt(given: BoundMeaning): Condition[] {
  const { values } = given;
  return partsOf(given).flatMap((part, at): Condition[] => {
    if (part === 'environment') return [];
    return part === 'deployed_after'
      ? [sql`merge_requests.last_deployed_at >= ${values[at]}`]
      : [sql`merge_requests.first_deployed_at <= ${values[at]}`];
  });
}

/** Only the time bounds need the deployments table. */
const deployed = (given: BoundMeaning) =>
  given.word === 'environment'
    ? sql`deployment_merge_requests dm`
    : sql`deployment_merge_requests dm join deployments d on d.id = dm.deployment_id`;

/**
 * A merge request deployed before a time was created before it, which bounds the scan in the usual order. Imported rows
 * can have been deployed before their creation; they have a partial index, which is mostly empty.
 */
const createdBefore: Filter<never, RequestScopeAsked>['implies'] = {
  column: 'merge_requests.created_at',
  condition: (given, { within, project }) => {
    const moment = given.values[partsOf(given).indexOf('deployed_before')];
    if (within !== 'project' || moment === undefined) return sql`1 = 1`;
    return sql`merge_requests.created_at <= (select max(moment) from (select cast(${moment} as bigint) as moment
      union all select max(e.created_at) from merge_requests e
        where e.project_id = ${project} and e.first_deployed_at < e.created_at) as moments)`;
  },
};

function deployedFilter<P extends Param<unknown>>(own: Part, declared: P): Filter<P, RequestScopeAsked, false> {
  return {
    param: declared,
    negatable: false,
    read: (_sent: never, all: FilterInput) => readDeployed(own, all),
    condition: (given, ask) => {
      const known = deployedAt(given);
      if (known.length === 1 && partsOf(given).length === 1) return together(known);
      const one: Condition = sql`exists (select 1 from ${deployed(given)}
        where dm.merge_request_id = merge_requests.id and ${deployments(given, ask)})`;
      return together([...known, one]);
    },
    implies: createdBefore,
    drive:
      own === 'environment'
        ? {
            scoped: true,
            counts: true,
            complete,
            takesIn,
            // Each merge request has one state, and the index is ordered by ID within a state, so duplicates are
            // adjacent and need not be kept in memory.
            ids: (given, ask, _, { state }) => {
              const inState = state?.word === undefined ? sql`` : sql` and dm.request_state = ${sql.lit(state.word)}`;
              return sql`select id from (select distinct dm.request_state, dm.merge_request_id as id
                from ${deployed(given)} where ${deployments(given, ask)}${inState}) as brought`;
            },
          }
        : { ...column, counts: true },
  };
}

/** The filters `environment`, `deployed_after` and `deployed_before`. */
export const deployedFilters = {
  environment: deployedFilter('environment', param.string()),
  deployed_after: deployedFilter('deployed_after', param.dateTime()),
  deployed_before: deployedFilter('deployed_before', param.dateTime()),
};
