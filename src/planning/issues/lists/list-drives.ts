import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BoundMeaning, Drive } from '../../../platform/list-kit/filter.ts';
import { issueLabels, type Nullable, noAssignee, noLabel, set } from './list-filters.ts';
import { type IssueScopeAsked, ownConfidentialIssues } from './list-scope.ts';

type Ids = RawBuilder<{ id: number }>;
type Value = Expression<unknown>;
type Condition = RawBuilder<SqlBool>;

/**
 * Milestones with this title that issues in scope can have: those of the project and of any group, because projects can
 * be transferred.
 */
export function milestonesTitled(title: Value, { within, project }: IssueScopeAsked): Ids {
  if (within !== 'project') return sql`select id from milestones where title = ${title}`;
  return sql`select id from milestones where project_id = ${project} and title = ${title}
    union all select id from milestones where title = ${title} and namespace_id is not null`;
}

const alsoAll = (conditions: readonly Condition[]): RawBuilder<unknown> =>
  sql.join(
    conditions.map((condition) => sql` and ${condition}`),
    sql``,
  );

/** Driven by a column that is indexed within projects. */
export const column: Drive<IssueScopeAsked> = { scoped: true };

/** Whether IDs selected within a project need no further readability condition. */
const complete = ({ within, confidential, part }: IssueScopeAsked): boolean =>
  within === 'project' && (confidential || part !== undefined);

type Also = Readonly<Record<string, BoundMeaning>>;

/** Each of these indexes has the state after the confidential flag. */
const takesIn = ['state'] as const;

const ofState = (table: 'issues' | 'il' | 'p' | 'a', { state }: Also): RawBuilder<unknown> => {
  const column = sql.ref(`${table}.state`);
  if (state?.word !== undefined) return sql` and ${column} = ${sql.lit(state.word)}`;
  // With a fixed set of states, an index of a table joined to issues also covers the IDs behind the state column.
  return table === 'issues' ? sql`` : sql` and ${column} in ('opened', 'closed')`;
};

/** The condition that issues, or rows joined to them, are in scope. */
const inScope = (table: 'issues' | 'il' | 'p' | 'a', ask: IssueScopeAsked, also: Also): RawBuilder<unknown> => {
  const state = ofState(table, also);
  if (ask.within !== 'project') return state;
  if (ask.part === 'own')
    return sql` and ${ownConfidentialIssues(sql.ref(`${table}.${table === 'issues' ? 'id' : 'issue_id'}`), ask)}${state}`;
  const plain = ask.part === 'plain' ? sql`= 0` : sql`in (0, 1)`;
  return sql` and ${sql.ref(`${table}.project_id`)} = ${ask.project} and ${sql.ref(`${table}.confidential`)} ${plain}${state}`;
};

/** Issues without any labels, assignees or the like, as recorded in a column of the issue. */
const lacking = (condition: Condition, ask: IssueScopeAsked, also: Also): Ids =>
  sql`select issues.id from issues where ${condition}${inScope('issues', ask, also)}`;

/** Driven by a nullable column: its index has the "is null" flag after the sort column. */
export const nullableColumn = (
  nullable: Nullable,
  condition: (given: BoundMeaning, ask: IssueScopeAsked) => Condition,
): Drive<IssueScopeAsked> => ({
  scoped: true,
  counts: true,
  complete,
  takesIn,
  ids: (given, ask, _, also) =>
    sql`select issues.id from issues
      where ${set(nullable)} and ${condition(given, ask)}${inScope('issues', ask, also)}`,
});

/** Whether the issues of each label with a given title are found by the index alone. */
const isByIndex = (ask: IssueScopeAsked): boolean =>
  ask.within === 'project' && ask.part !== 'own' && ask.titlesTell === true;

/** Driven by the issues of the first label; the other labels are conditions. */
export const labels: Drive<IssueScopeAsked> = {
  scoped: true,
  asMet: true,
  counts: true,
  complete,
  takesIn,
  words: ['None', 'No Label'],
  ids: ({ word, values }, ask, engine, also) => {
    if (word !== undefined) return lacking(noLabel, ask, also);
    const inLabels = (rows: 'il' | 'p') => inScope(rows, ask, also);
    if (values.length > 1 && isByIndex(ask)) return issueLabels.pairedIds(values, ask, engine, inLabels);
    return issueLabels.ids(values, ask, inLabels);
  },
};

const userNamed = (name: Value): Expression<unknown> =>
  sql`(select id from users where lower(username) = lower(${name}))`;

const assignedTo = (user: Value, ask: IssueScopeAsked, also: Also): Ids =>
  sql`select a.issue_id as id from issue_assignees a where a.user_id = ${user}${inScope('a', ask, also)}`;

/** Driven by the issues assigned to the first user; the other assignees are conditions. */
export const assigneeNames: Drive<IssueScopeAsked> = {
  scoped: true,
  asMet: true,
  counts: true,
  complete,
  takesIn,
  ids: ({ values: [first, ...others] }, ask, _, also) => {
    const assigned = (name: Value): Condition =>
      sql`exists (select 1 from issue_assignees o where o.issue_id = a.issue_id and o.user_id = ${userNamed(name)})`;
    return sql`${assignedTo(userNamed(first as Value), ask, also)}${alsoAll(others.map(assigned))}`;
  },
};

export const assignee: Drive<IssueScopeAsked> = {
  scoped: true,
  asMet: true,
  counts: true,
  complete,
  takesIn,
  words: ['None'],
  ids: ({ word, values: [user] }, ask, _, also) =>
    word === undefined ? assignedTo(user as Value, ask, also) : lacking(noAssignee, ask, also),
};

/** Driven by the emoji reactions of the caller. */
export const reaction: Drive<IssueScopeAsked> = {
  counts: true,
  words: ['Any'],
  ids: ({ word, values: [name] }, { user }) => {
    const named = word === 'Any' ? sql`` : sql` and name = ${name}`;
    return sql`select distinct awardable_id as id from award_emoji
      where user_id = ${user ?? sql`0`} and awardable_type = 'Issue'${named}`;
  },
};

/** Driven by the issues that the caller created or is assigned to. */
export const caller: Drive<IssueScopeAsked> = {
  scoped: true,
  asMet: true,
  counts: true,
  complete,
  takesIn,
  ids: ({ word = '' }, ask, _, also) => {
    const user = ask.user ?? sql<number>`0`;
    if (word.startsWith('assigned')) return assignedTo(user, ask, also);
    return sql`select issues.id from issues where issues.author_id = ${user}${inScope('issues', ask, also)}`;
  },
};
