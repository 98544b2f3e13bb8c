import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Param, param } from '../../../platform/http/params.ts';
import type { BoundMeaning, Drive, Filter, Meaning, Sent } from '../../../platform/list-kit/filter.ts';
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

/** Milestones of this title that merge requests in scope can be in: of the project, or of any group, since projects move. */
export function milestonesTitled(title: Value, { within, project }: RequestScopeAsked): Ids {
  if (within !== 'project') return sql`select id from milestones where title = ${title}`;
  return sql`select id from milestones where project_id = ${project} and title = ${title}
    union all select id from milestones where title = ${title} and namespace_id is not null`;
}

type Also = Readonly<Record<string, BoundMeaning>>;

/** The indexes of merge requests, and of what hangs on them, have their state. */
const takesIn = ['state'] as const;

/** By a column that an index has within projects. */
export const column: Drive<RequestScopeAsked> = { scoped: true, takesIn };

/** Of what the ids of a project were narrowed to, nothing more is to be asked. */
const complete = ({ within, deployment }: RequestScopeAsked): boolean =>
  within === 'project' && deployment === undefined;

/** Of merge requests, or of what hangs on them, what is in scope and in the state that was asked for. */
function inScope(
  rows: 'merge_requests' | 'a' | 'il' | 'p',
  { within, project }: RequestScopeAsked,
  { state }: Also,
): Condition {
  const column = sql.ref(rows === 'merge_requests' ? 'merge_requests.state' : `${rows}.request_state`);
  const inState: Condition = state?.word === undefined ? sql`1 = 1` : sql`${column} = ${sql.lit(state.word)}`;
  return within === 'project' ? sql`${sql.ref(`${rows}.project_id`)} = ${project} and ${inState}` : inState;
}

/** Those of which the database keeps that they have any of what hangs on others. */
const having = (some: Condition, ask: RequestScopeAsked, also: Also): Ids =>
  sql`select merge_requests.id from merge_requests where ${some} and ${inScope('merge_requests', ask, also)}`;

type People = typeof assignee;

const withUser = ({ rows }: People, user: Value, ask: RequestScopeAsked, also: Also): Ids =>
  sql`select a.merge_request_id as id from ${rows} a where a.user_id = ${user} and ${inScope('a', ask, also)}`;

const found = { scoped: true, counts: true, complete, takesIn, words: ['Any'] } as const;

/** From the merge requests of a user. */
export const user = (people: People): Drive<RequestScopeAsked> => ({
  ...found,
  ids: ({ word, values: [first] }, ask, _, also) =>
    word === undefined ? withUser(people, first as Value, ask, also) : having(people.some, ask, also),
});

/** From the merge requests of the first of several users; they have the others too. */
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

/** From what the caller has reacted to. */
export const reaction: Drive<RequestScopeAsked> = {
  counts: true,
  words: ['Any'],
  ids: ({ word, values: [name] }, { user: caller }) => {
    const named = word === 'Any' ? sql`` : sql` and name = ${name}`;
    return sql`select distinct awardable_id as id from award_emoji
      where user_id = ${caller ?? sql`0`} and awardable_type = 'MergeRequest'${named}`;
  },
};

/** From the caller's own. */
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

/** From those that the first user is asked to approve, by a rule of their own or of their project. */
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

/** From those that carry the first label; they have the others too. */
export const labels: Drive<RequestScopeAsked> = {
  ...found,
  ids: ({ word, values }, ask, engine, together) => {
    if (word !== undefined) return having(someLabel, ask, together);
    const inLabels = (rows: 'il' | 'p') => sql` and ${inScope(rows, ask, together)}`;
    const paired = values.length > 1 && ask.within === 'project' && ask.titlesTell === true;
    return paired ? requestLabels.pairedIds(values, ask, engine, inLabels) : requestLabels.ids(values, ask, inLabels);
  },
};

/** The parts of the one condition on a deployment, in the order in which their values are bound. */
const parts = ['environment', 'deployed_after', 'deployed_before'] as const;
type Part = (typeof parts)[number];

/** All that was sent about deployments is asked of one and the same; the first part that was sent asks for all. */
function readDeployed(own: Part, all: Sent): Meaning | undefined {
  const sent = parts.filter((part) => all[part] !== undefined && all[part] !== '');
  if (sent[0] !== own) return undefined;
  return { word: sent.join(), values: sent.map((part) => all[part] as string | number) };
}

const together = (conditions: readonly Condition[]): Condition => sql`(${sql.join([...conditions], sql` and `)})`;

const partsOf = ({ word = '' }: BoundMeaning) => word.split(',') as Part[];

/** A project has one environment of a name, and its merge requests are deployed to none of another's. */
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

/** What merge requests themselves know: one moment alone is asked of them, of more a deployment has to have all. */
function deployedAt(given: BoundMeaning): Condition[] {
  const { values } = given;
  return partsOf(given).flatMap((part, at): Condition[] => {
    if (part === 'environment') return [];
    return part === 'deployed_after'
      ? [sql`merge_requests.last_deployed_at >= ${values[at]}`]
      : [sql`merge_requests.first_deployed_at <= ${values[at]}`];
  });
}

/** The times alone are the deployment's. */
const deployed = (given: BoundMeaning) =>
  given.word === 'environment'
    ? sql`deployment_merge_requests dm`
    : sql`deployment_merge_requests dm join deployments d on d.id = dm.deployment_id`;

/**
 * What was deployed before a time was made before it: along the usual order nothing younger is walked past. What is older
 * than what it came from, as imported rows can be, has an index of its own, which is mostly empty.
 */
const madeBefore: Filter<never, RequestScopeAsked>['implies'] = {
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
    read: (_sent: never, all: Sent) => readDeployed(own, all),
    condition: (given, ask) => {
      const known = deployedAt(given);
      if (known.length === 1 && partsOf(given).length === 1) return together(known);
      const one: Condition = sql`exists (select 1 from ${deployed(given)}
        where dm.merge_request_id = merge_requests.id and ${deployments(given, ask)})`;
      return together([...known, one]);
    },
    implies: madeBefore,
    drive:
      own === 'environment'
        ? {
            scoped: true,
            counts: true,
            complete,
            takesIn,
            // Each has one state, behind which the index has them in order: so none is kept to tell it from others.
            ids: (given, ask, _, { state }) => {
              const inState = state?.word === undefined ? sql`` : sql` and dm.request_state = ${sql.lit(state.word)}`;
              return sql`select id from (select distinct dm.request_state, dm.merge_request_id as id
                from ${deployed(given)} where ${deployments(given, ask)}${inState}) as brought`;
            },
          }
        : { ...column, counts: true },
  };
}

/** `environment`, `deployed_after` and `deployed_before`. */
export const deployedFilters = {
  environment: deployedFilter('environment', param.string()),
  deployed_after: deployedFilter('deployed_after', param.dateTime()),
  deployed_before: deployedFilter('deployed_before', param.dateTime()),
};
