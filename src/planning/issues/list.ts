import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { Visibility } from '../../access/roles.ts';
import type { Value } from '../../access/visible.ts';
import { memberProjectIds, type Viewer } from '../../access/visible.ts';
import { type AskedOf, form } from '../../platform/database/form.ts';
import { type Param, param } from '../../platform/http/params.ts';
import { driving, negatable } from '../../platform/list-kit/filter.ts';
import {
  choice,
  compare,
  equals,
  every,
  isSet,
  matches,
  onlyIf,
  orWords,
  searching,
} from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byExpression, byNullable, type OrderKey } from '../../platform/list-kit/order.ts';
import * as where from './list-filters.ts';
import { issueTypes } from './tables.ts';

type Condition = RawBuilder<SqlBool>;

/** Where issues are looked for, and by whom. */
export interface IssueScope extends Viewer {
  readonly within: 'project' | 'group' | 'all';
  readonly project?: number | undefined;
  readonly group?: number | undefined;
  /** In a project: whether the caller sees the confidential ones of others. */
  readonly confidential: boolean;
  readonly today: string;
}

/** What every query of issues is asked with. */
export const issueScopeForm = form<IssueScope>()({ values: ['project', 'group', 'user', 'now', 'today'] });
type Scope = AskedOf<typeof issueScopeForm>;

const nobody = sql<number>`0`;
const userOf = ({ user }: Scope): Expression<number> => user ?? nobody;

/** The least role that sees what is confidential: planners, and all above. */
const planning = 15;

/** In which projects issues are read, of the group or of all: visible, with issues switched on for the caller. */
function readableProjects({ sees, user, now, within, group }: Scope): Condition {
  const member = (least: number): Condition =>
    user === undefined ? sql`1 = 0` : sql`p.id in (${memberProjectIds(user as Value, least, now as Value)})`;
  const visible: Condition =
    sees === 'all' ? sql`1 = 1` : sql`(p.visibility >= ${sql.lit(Visibility[sees])} or ${member(10)})`;
  const inGroup: Condition =
    within === 'group'
      ? sql`p.namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${group})`
      : sql`1 = 1`;
  const switchedOn: Condition =
    sees === 'all'
      ? sql`p.issues_access > 0`
      : sql`(p.issues_access >= 20 or (p.issues_access >= 10 and ${member(10)}))`;
  return sql`exists (select 1 from projects p where p.id = issues.project_id
    and ${inGroup} and ${visible} and ${switchedOn})`;
}

/** What the caller may read of those: what is confidential only as a planner, an author or an assignee. */
export function readableIssues(ask: Scope): Condition {
  const { within, project, sees, user, now, confidential } = ask;
  const own: Condition =
    user === undefined ? sql`1 = 0` : sql`(issues.author_id = ${user} or ${where.assignedTo(userOf(ask))})`;
  if (within === 'project') {
    const inProject: Condition = sql`issues.project_id = ${project}`;
    return confidential ? inProject : sql`${inProject} and (issues.confidential = 0 or ${own})`;
  }
  if (sees === 'all') return readableProjects(ask);
  const planned: Condition =
    user === undefined
      ? sql`1 = 0`
      : sql`issues.project_id in (${memberProjectIds(user as Value, planning, now as Value)})`;
  return sql`${readableProjects(ask)} and (issues.confidential = 0 or ${own} or ${planned})`;
}

/** A number of a user, and the refusal of anything else in the words of the documents. */
const userNumber: Param<number, 'optional'> = {
  ...param.integer(),
  read: (raw, name, problems) => {
    if (raw === '') return undefined;
    if (/^\d{1,15}$/.test(String(raw))) return Number(raw);
    problems.push(`${name} should be an integer, none, or any, however got ${String(raw)}`);
    return undefined;
  },
};

const reactions = {
  None: (ask: Scope): Condition => sql`not ${where.reacted(userOf(ask))}`,
  Any: (ask: Scope): Condition => where.reacted(userOf(ask)),
};

const dueWords = ['today', 'tomorrow', 'overdue', 'week', 'month', 'next_month_and_previous_two_weeks'] as const;

function dueOn(word: (typeof dueWords)[number]) {
  return ({ now }: Scope): Condition => {
    const bound = now as unknown as { to<T>(change: (ms: number) => T): Expression<T> };
    const first = bound.to((ms) => where.dueBetween(word, ms)[0]);
    const last = bound.to((ms) => where.dueBetween(word, ms)[1]);
    return sql`issues.due_date between ${first} and ${last}`;
  };
}

/** The lists of issues: of a project, of a group, of all. */
export const issueList = list({
  id: 'issues.id',
  scope: issueScopeForm,
  filters: {
    assignee_id: negatable(
      driving(
        orWords(
          { None: where.noAssignee, Any: where.someAssignee },
          matches(userNumber, (user) => where.assignedTo(user)),
        ),
        { ids: ({ values: [user] }) => sql`select issue_id as id from issue_assignees where user_id = ${user}` },
      ),
    ),
    assignee_username: negatable(every(param.commaList(), (name) => where.assignedToName(name))),
    author_id: negatable(driving(equals('issues.author_id', param.integer()))),
    author_username: negatable(driving(matches(param.string(), (name) => where.authorNamed(name)))),
    closed_by_id: equals('issues.closed_by_id', param.integer()),
    confidential: isSet('issues.confidential'),
    created_after: compare('issues.created_at', '>=', param.dateTime()),
    created_before: compare('issues.created_at', '<=', param.dateTime()),
    updated_after: compare('issues.updated_at', '>=', param.dateTime()),
    updated_before: compare('issues.updated_at', '<=', param.dateTime()),
    due_date: choice({
      '': null,
      '0': sql<SqlBool>`issues.due_date is null`,
      any: sql<SqlBool>`issues.due_date is not null`,
      today: dueOn('today'),
      tomorrow: dueOn('tomorrow'),
      overdue: dueOn('overdue'),
      week: dueOn('week'),
      month: dueOn('month'),
      next_month_and_previous_two_weeks: dueOn('next_month_and_previous_two_weeks'),
    }),
    epic_id: orWords(
      { None: sql<SqlBool>`issues.epic_id is null`, Any: sql<SqlBool>`issues.epic_id is not null` },
      equals('issues.epic_id', param.integer()),
    ),
    health_status: orWords(
      { None: sql<SqlBool>`issues.health_status is null`, Any: sql<SqlBool>`issues.health_status is not null` },
      equals('issues.health_status', param.oneOf(['on_track', 'needs_attention', 'at_risk'])),
    ),
    iids: negatable(equals('issues.iid', param.integers())),
    issue_type: equals('issues.issue_type', param.oneOf(issueTypes)),
    iteration_id: negatable(
      orWords(
        { None: where.noIteration, Any: where.someIteration, Current: where.currentIteration },
        equals('issues.iteration_id', param.integer()),
      ),
    ),
    iteration_title: negatable(matches(param.string(), (title) => where.iterationTitled(title))),
    labels: negatable(
      orWords(
        { None: where.noLabel, Any: where.someLabel, 'No Label': where.noLabel },
        every(param.commaList(), (title) => where.labelled(title)),
      ),
    ),
    milestone: negatable(
      orWords(
        {
          None: where.noMilestone,
          Any: where.someMilestone,
          'No Milestone': where.noMilestone,
          'Any Milestone': where.someMilestone,
          '#upcoming': where.upcomingMilestone,
          '#started': where.startedMilestone,
        },
        matches(param.string(), (title) => where.milestoneTitled(title)),
      ),
    ),
    milestone_id: negatable(
      choice({
        None: where.noMilestone,
        Any: where.someMilestone,
        Upcoming: where.upcomingMilestone,
        Started: where.startedMilestone,
      }),
    ),
    my_reaction_emoji: negatable(
      orWords(
        reactions,
        matches(param.string(), (name, ask: Scope) => where.reactedWith(userOf(ask), name)),
      ),
    ),
    non_archived: onlyIf(
      sql<SqlBool>`not exists (select 1 from projects p where p.id = issues.project_id and p.archived = 1)`,
    ),
    scope: choice({
      created_by_me: (ask: Scope) => sql<SqlBool>`issues.author_id = ${userOf(ask)}`,
      'created-by-me': (ask: Scope) => sql<SqlBool>`issues.author_id = ${userOf(ask)}`,
      assigned_to_me: (ask: Scope) => where.assignedTo(userOf(ask)),
      'assigned-to-me': (ask: Scope) => where.assignedTo(userOf(ask)),
      all: null,
    }),
    state: choice({
      opened: sql<SqlBool>`issues.state = 'opened'`,
      closed: sql<SqlBool>`issues.state = 'closed'`,
      all: null,
    }),
    weight: negatable(
      orWords(
        { None: sql<SqlBool>`issues.weight is null`, Any: sql<SqlBool>`issues.weight is not null` },
        equals('issues.weight', param.integer()),
      ),
    ),
    ...searching({
      index: where.issueSearch,
      columns: { title: 'issues.title', description: 'issues.description' },
    }),
  },
  orders: {
    created_at: byColumn('issues.created_at', 'integer'),
    updated_at: byColumn('issues.updated_at', 'integer'),
    title: byExpression(({ direction }) => [[sql`lower(issues.title)`, direction]], 'desc'),
    due_date: byNullable('issues.due_date', 'desc'),
    milestone_due: byNullable('issues.milestone_due_date', 'desc'),
    weight: byNullable('issues.weight', 'desc'),
    label_priority: byNullable('issues.label_priority', 'desc'),
    popularity: byColumn('issues.upvotes', 'integer', 'desc'),
    priority: byExpression(({ direction }) => {
      const nullsLast = (column: 'issues.milestone_due_date' | 'issues.label_priority'): OrderKey[] => [
        [sql`case when ${sql.ref(column)} is null then 1 else 0 end`, 'asc'],
        [sql.ref(column), direction],
      ];
      return [...nullsLast('issues.milestone_due_date'), ...nullsLast('issues.label_priority')];
    }, 'desc'),
    relative_position: byExpression(({ direction }): OrderKey[] => {
      if (direction === 'desc') return [];
      const position = sql.ref('issues.relative_position');
      return [
        [sql`case when ${position} is null then 1 else 0 end`, 'asc'],
        [position, 'asc'],
      ];
    }),
  },
  select: (db, ask) => db.selectFrom('issues').selectAll('issues').where(readableIssues(ask)),
});
