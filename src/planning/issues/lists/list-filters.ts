import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Bound } from '../../../platform/database/bound.ts';
import { SearchIndex } from '../../../platform/database/search-index.ts';
import { instant } from '../../../platform/http/schema.ts';
import { labelFilters } from '../../labels/public.ts';
import { startedMilestones, upcomingMilestones } from '../../milestones/public.ts';
import type { IssueType } from '../tables.ts';

type Condition = RawBuilder<SqlBool>;
export type Text = Bound<string>;

export const issueSearch = new SearchIndex({ table: 'issues', columns: ['title', 'description'], inPieces: true });

export const assignedTo = (user: Expression<unknown>): Condition =>
  sql`exists (select 1 from issue_assignees a where a.issue_id = issues.id and a.user_id = ${user})`;

export const assignedToName = (name: Expression<unknown>): Condition =>
  assignedTo(sql`(select id from users where lower(username) = lower(${name}))`);

/** The index on the assigned flag is per project, with the labelled flag before it. */
export const someAssignee: Condition = sql`issues.labelled in (0, 1) and issues.assigned = 1`;
export const noAssignee: Condition = sql`issues.labelled in (0, 1) and issues.assigned = 0`;

export const authorNamed = (name: Expression<unknown>): Condition =>
  sql`issues.author_id = (select id from users where lower(username) = lower(${name}))`;

export const issueLabels = labelFilters({
  labels: 'issue_labels',
  thing: 'issue_id',
  pairs: 'derived_label_pairs',
  unpaired: 'derived_unpaired_labels',
});

type Titled = [title: Parameters<typeof issueLabels.isTitled>[1], ask: Parameters<typeof issueLabels.isTitled>[2]];

/** Condition that an issue has a label with this title. */
export const labelled = (...[title, ask]: Titled): Condition =>
  sql`exists (select 1 from issue_labels il
    where il.issue_id = issues.id and ${issueLabels.isTitled(sql.ref('il.label_id'), title, ask)})`;

const typed = (type: IssueType): Condition => sql`issues.issue_type = ${sql.lit(type)}`;
export const ofTypes: Readonly<Record<IssueType, Condition>> = {
  issue: typed('issue'),
  incident: typed('incident'),
  test_case: typed('test_case'),
  task: typed('task'),
};
export const rareTypes: readonly IssueType[] = ['incident', 'test_case', 'task'];

export const someLabel: Condition = sql`issues.labelled = 1`;
export const noLabel: Condition = sql`issues.labelled = 0`;

export type Nullable = 'issues.due_date' | 'issues.weight';

/** Whether a column is null, in the same expression as in the indexes that order by it. */
const isUnset = (column: Nullable) => sql`(case when ${sql.ref(column)} is null then 1 else 0 end)`;
export const unset = (column: Nullable): Condition => sql`${isUnset(column)} = 1`;
export const set = (column: Nullable): Condition => sql`${isUnset(column)} = 0`;

export const ofMilestones = (milestones: RawBuilder<{ id: number }>): Condition =>
  sql`issues.milestone_id in (${milestones})`;

export const someMilestone: Condition = sql`issues.milestone_id is not null`;
export const noMilestone: Condition = sql`issues.milestone_id is null`;

interface Today {
  readonly today: Expression<string>;
}

export const upcomingMilestone = (ask: Today): Condition => ofMilestones(upcomingMilestones(ask));
export const startedMilestone = (ask: Today): Condition => ofMilestones(startedMilestones(ask));

const ofIteration = (which: Condition): Condition =>
  sql`issues.iteration_id in (select it.id from iterations it where ${which})`;

export const iterationTitled = (title: Expression<unknown>): Condition => ofIteration(sql`it.title = ${title}`);
export const currentIteration = ({ today }: Today): Condition =>
  ofIteration(sql`it.start_date <= ${today} and it.due_date >= ${today}`);
export const someIteration: Condition = sql`issues.iteration_id is not null`;
export const noIteration: Condition = sql`issues.iteration_id is null`;

const reaction = (user: Expression<unknown>, which: Condition): Condition =>
  sql`exists (select 1 from award_emoji e where e.user_id = ${user} and e.awardable_type = 'Issue'
    and e.awardable_id = issues.id and ${which})`;

export const reactedWith = (user: Expression<unknown>, name: Expression<unknown>): Condition =>
  reaction(user, sql`e.name = ${name}`);
export const reacted = (user: Expression<unknown>): Condition => reaction(user, sql`1 = 1`);

const dayLength = 86_400_000;
const dayOf = (ms: number) => instant(ms).slice(0, 10);

/** The first and last day of the period that a `due_date` keyword stands for. */
export function dueBetween(word: string, now: number): readonly [string, string] {
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const sinceMonday = (today.getUTCDay() + 6) % 7;
  switch (word) {
    case 'today':
      return [dayOf(now), dayOf(now)];
    case 'tomorrow':
      return [dayOf(now + dayLength), dayOf(now + dayLength)];
    case 'overdue':
      return ['0000-01-01', dayOf(now - dayLength)];
    case 'week':
      return [dayOf(now - sinceMonday * dayLength), dayOf(now + (6 - sinceMonday) * dayLength)];
    case 'month':
      return [dayOf(Date.UTC(year, month, 1)), dayOf(Date.UTC(year, month + 1, 0))];
    case 'next_month_and_previous_two_weeks':
      return [dayOf(now - 14 * dayLength), dayOf(Date.UTC(year, month + 2, 0))];
    default:
      return ['0000-01-01', '9999-12-31'];
  }
}
