import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Drive } from '../../platform/list-kit/filter.ts';
import type { IssueScopeAsked } from './list-scope.ts';

type Ids = RawBuilder<{ id: number }>;
type Value = Expression<unknown>;
type Condition = RawBuilder<SqlBool>;

/** Labels of this title that issues in scope can carry: of the project, or of any group, since projects move. */
export function labelsTitled(title: Value, { within, project }: IssueScopeAsked): Ids {
  if (within !== 'project') return sql`select id from labels where title = ${title}`;
  return sql`select id from labels where project_id = ${project} and title = ${title}
    union all select id from labels where title = ${title} and namespace_id is not null`;
}

/** The same of milestones. */
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

/** By a column that has an index by itself. */
export const column: Drive<IssueScopeAsked> = { counts: true };

/** From the issues of the first label; they have the others too. */
export const labels: Drive<IssueScopeAsked> = {
  counts: true,
  ids: ({ values: [first, ...others] }, ask) => {
    const carried = (title: Value): Condition =>
      sql`exists (select 1 from issue_labels o where o.issue_id = il.issue_id and o.label_id in (${labelsTitled(title, ask)}))`;
    return sql`select distinct il.issue_id as id from issue_labels il
      where il.label_id in (${labelsTitled(first as Value, ask)})${alsoAll(others.map(carried))}`;
  },
};

const userNamed = (name: Value): Expression<unknown> =>
  sql`(select id from users where lower(username) = lower(${name}))`;

/** From what the first of these is assigned. */
export const assigneeNames: Drive<IssueScopeAsked> = {
  counts: true,
  ids: ({ values: [first, ...others] }) => {
    const assigned = (name: Value): Condition =>
      sql`exists (select 1 from issue_assignees o where o.issue_id = a.issue_id and o.user_id = ${userNamed(name)})`;
    return sql`select a.issue_id as id from issue_assignees a
      where a.user_id = ${userNamed(first as Value)}${alsoAll(others.map(assigned))}`;
  },
};

export const assignee: Drive<IssueScopeAsked> = {
  counts: true,
  ids: ({ values: [user] }) => sql`select issue_id as id from issue_assignees where user_id = ${user}`,
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
  counts: true,
  ids: ({ word = '' }, { user }) =>
    word.startsWith('assigned')
      ? sql`select issue_id as id from issue_assignees where user_id = ${user ?? sql`0`}`
      : sql`select id from issues where author_id = ${user ?? sql`0`}`,
};
