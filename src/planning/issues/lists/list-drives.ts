import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BoundMeaning, Drive } from '../../../platform/list-kit/filter.ts';
import { issueLabels, type Nullable, noAssignee, noLabel, set } from './list-filters.ts';
import { type IssueScopeAsked, ownOfProject } from './list-scope.ts';

type Ids = RawBuilder<{ id: number }>;
type Value = Expression<unknown>;
type Condition = RawBuilder<SqlBool>;

/** Milestones of this title that issues in scope can be in: of the project, or of any group, since projects move. */
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

/** By a column that an index has within projects. */
export const column: Drive<IssueScopeAsked> = { scoped: true };

/** Of what the ids of a project were narrowed to, nothing more is to be asked. */
const complete = ({ within, confidential, part }: IssueScopeAsked): boolean =>
  within === 'project' && (confidential || part !== undefined);

type Also = Readonly<Record<string, BoundMeaning>>;

/** Each of the indexes has the state behind whether an issue is confidential. */
const takesIn = ['state'] as const;

const ofState = (table: 'issues' | 'il' | 'p' | 'a', { state }: Also): RawBuilder<unknown> => {
  const column = sql.ref(`${table}.state`);
  if (state?.word !== undefined) return sql` and ${column} = ${sql.lit(state.word)}`;
  // With any of them an index of what hangs on issues has the numbers behind the states too.
  return table === 'issues' ? sql`` : sql` and ${column} in ('opened', 'closed')`;
};

/** Of issues and what hangs on them, what is in scope. */
const inScope = (table: 'issues' | 'il' | 'p' | 'a', ask: IssueScopeAsked, also: Also): RawBuilder<unknown> => {
  const state = ofState(table, also);
  if (ask.within !== 'project') return state;
  if (ask.part === 'own')
    return sql` and ${ownOfProject(sql.ref(`${table}.${table === 'issues' ? 'id' : 'issue_id'}`), ask)}${state}`;
  const plain = ask.part === 'plain' ? sql`= 0` : sql`in (0, 1)`;
  return sql` and ${sql.ref(`${table}.project_id`)} = ${ask.project} and ${sql.ref(`${table}.confidential`)} ${plain}${state}`;
};

/** Issues of which the database keeps that they have none of what hangs on others. */
const lacking = (condition: Condition, ask: IssueScopeAsked, also: Also): Ids =>
  sql`select issues.id from issues where ${condition}${inScope('issues', ask, also)}`;

/** By a column that may be empty: the index that orders by it has it behind whether it is. */
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

/** The issues of each label of a title are known by these alone. */
const isByIndex = (ask: IssueScopeAsked): boolean =>
  ask.within === 'project' && ask.part !== 'own' && ask.titlesTell === true;

/** From the issues of the first label; they have the others too. */
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

/** From what the first of these is assigned. */
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

/** From what the caller has reacted to. */
export const reaction: Drive<IssueScopeAsked> = {
  counts: true,
  words: ['Any'],
  ids: ({ word, values: [name] }, { user }) => {
    const named = word === 'Any' ? sql`` : sql` and name = ${name}`;
    return sql`select distinct awardable_id as id from award_emoji
      where user_id = ${user ?? sql`0`} and awardable_type = 'Issue'${named}`;
  },
};

/** From the caller's own. */
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
