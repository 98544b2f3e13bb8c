import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { param } from '../../../platform/http/params.ts';
import { driving, negatable } from '../../../platform/list-kit/filter.ts';
import {
  choice,
  compare,
  equals,
  isSet,
  matches,
  matchesAll,
  withKeywords,
} from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn, byExpression, byNullable, type OrderKey } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';
import { type StoredCount, storedCount } from '../../../platform/list-kit/stored-count.ts';
import * as by from './list-drives.ts';
import * as where from './list-filters.ts';
import { type IssueScopeAsked, issueScopeForm, readableIssues } from './list-scope.ts';
import { numberOr, numberOrWord } from './number-or-word.ts';

type Condition = RawBuilder<SqlBool>;

type Scope = IssueScopeAsked;

const noUser = sql<number>`0`;
const userOf = ({ user }: Scope): Expression<number> => user ?? noUser;

const reactions = {
  None: (ask: Scope): Condition => sql`not ${where.reacted(userOf(ask))}`,
  Any: (ask: Scope): Condition => where.reacted(userOf(ask)),
};

const dueWords = ['today', 'tomorrow', 'overdue', 'week', 'month', 'next_month_and_previous_two_weeks'] as const;

function dueOn(word: (typeof dueWords)[number]) {
  return ({ now }: Scope): Condition => {
    const first = now.to((ms) => where.dueBetween(word, ms)[0]);
    const last = now.to((ms) => where.dueBetween(word, ms)[1]);
    return sql`(${where.set('issues.due_date')} and issues.due_date between ${first} and ${last})`;
  };
}

/**
 * The issue counts by state that triggers maintain per project; there are none for the caller's own confidential
 * issues.
 */
function keptOf({ within, project, part, confidential }: Scope, states: readonly string[]): StoredCount | undefined {
  if (within !== 'project' || project === undefined || part === 'own') return undefined;
  if (part === undefined && !confidential) return undefined;
  const kinds = part === 'plain' ? [0] : [0, 1];
  const counts = states.flatMap((state) => kinds.map((kind) => storedCount(`issues.${state}.${kind}`, project)));
  return sql`(${sql.join(counts, sql` + `)})`;
}

const searched = searchFilters({
  index: where.issueSearch,
  columns: { title: 'issues.title', description: 'issues.description' },
  byWords: true,
});

/** Issue lists of a project, of a group, and of all projects. */
export const issueList = list({
  id: 'issues.id',
  scope: issueScopeForm,
  lateRows: true,
  kept: (ask) => keptOf(ask, ['opened', 'closed']),
  keptFiltered: (ask, { state, ...others }) =>
    state?.word !== undefined && Object.keys(others).length === 0 ? keptOf(ask, [state.word]) : undefined,
  filters: {
    assignee_id: negatable(
      driving(
        withKeywords(
          { None: where.noAssignee, Any: where.someAssignee },
          matches(numberOrWord, (user) => where.assignedTo(user)),
        ),
        by.assignee,
      ),
    ),
    assignee_username: negatable(
      driving(
        matchesAll(param.commaList(), (name) => where.assignedToName(name)),
        by.assigneeNames,
      ),
    ),
    author_id: negatable(driving(equals('issues.author_id', param.integer()), by.column)),
    author_username: negatable(
      driving(
        matches(param.string(), (name) => where.authorNamed(name)),
        by.column,
      ),
    ),
    closed_by_id: driving(equals('issues.closed_by_id', param.integer()), by.column),
    confidential: driving(isSet('issues.confidential'), { scoped: true, words: ['true'] }),
    created_after: driving(compare('issues.created_at', '>=', param.dateTime()), { scoped: true }),
    created_before: driving(compare('issues.created_at', '<=', param.dateTime()), { scoped: true }),
    updated_after: driving(compare('issues.updated_at', '>=', param.dateTime()), { scoped: true }),
    updated_before: driving(compare('issues.updated_at', '<=', param.dateTime()), { scoped: true }),
    due_date: driving(
      choice({
        '': null,
        '0': where.unset('issues.due_date'),
        any: where.set('issues.due_date'),
        today: dueOn('today'),
        tomorrow: dueOn('tomorrow'),
        overdue: dueOn('overdue'),
        week: dueOn('week'),
        month: dueOn('month'),
        next_month_and_previous_two_weeks: dueOn('next_month_and_previous_two_weeks'),
      }),
      {
        ...by.nullableColumn('issues.due_date', ({ word }, ask) => dueOn(word as (typeof dueWords)[number])(ask)),
        words: dueWords,
        orders: 'issues.created_at',
      },
    ),
    epic_id: withKeywords(
      { None: sql<SqlBool>`issues.epic_id is null`, Any: sql<SqlBool>`issues.epic_id is not null` },
      driving(equals('issues.epic_id', numberOrWord), by.column),
    ),
    health_status: withKeywords(
      { None: sql<SqlBool>`issues.health_status is null`, Any: sql<SqlBool>`issues.health_status is not null` },
      driving(equals('issues.health_status', param.oneOf(['on_track', 'needs_attention', 'at_risk'])), {
        scoped: true,
      }),
    ),
    iids: negatable(driving(equals('issues.iid', param.integers()), { scoped: true })),
    issue_type: driving(choice(where.ofTypes), { scoped: true, words: where.rareTypes }),
    iteration_id: negatable(
      withKeywords(
        { None: where.noIteration, Any: where.someIteration, Current: where.currentIteration },
        driving(equals('issues.iteration_id', numberOr('none, any, or current')), { ...by.column, words: ['Current'] }),
      ),
    ),
    iteration_title: negatable(
      driving(
        matches(param.string(), (title) => where.iterationTitled(title)),
        by.column,
      ),
    ),
    labels: negatable(
      withKeywords(
        { None: where.noLabel, Any: where.someLabel, 'No Label': where.noLabel },
        driving(
          matchesAll(param.commaList(), (title, ask: Scope) => where.labelled(title, ask)),
          by.labels,
        ),
        { anywhere: true },
      ),
    ),
    milestone: negatable(
      withKeywords(
        {
          None: where.noMilestone,
          Any: where.someMilestone,
          'No Milestone': where.noMilestone,
          'Any Milestone': where.someMilestone,
          '#upcoming': where.upcomingMilestone,
          '#started': where.startedMilestone,
        },
        driving(
          matches(param.string(), (title, ask: Scope) => where.ofMilestones(by.milestonesTitled(title, ask))),
          { ...by.column, words: ['#upcoming', '#started'] },
        ),
      ),
    ),
    milestone_id: negatable(
      driving(
        choice({
          None: where.noMilestone,
          Any: where.someMilestone,
          Upcoming: where.upcomingMilestone,
          Started: where.startedMilestone,
        }),
        { ...by.column, words: ['Upcoming', 'Started'] },
      ),
    ),
    my_reaction_emoji: negatable(
      withKeywords(
        reactions,
        driving(
          matches(param.string(), (name, ask: Scope) => where.reactedWith(userOf(ask), name)),
          by.reaction,
        ),
      ),
    ),
    scope: driving(
      choice({
        created_by_me: (ask: Scope) => sql<SqlBool>`issues.author_id = ${userOf(ask)}`,
        'created-by-me': (ask: Scope) => sql<SqlBool>`issues.author_id = ${userOf(ask)}`,
        assigned_to_me: (ask: Scope) => where.assignedTo(userOf(ask)),
        'assigned-to-me': (ask: Scope) => where.assignedTo(userOf(ask)),
        all: null,
      }),
      by.caller,
    ),
    state: choice({
      opened: sql<SqlBool>`issues.state = 'opened'`,
      closed: sql<SqlBool>`issues.state = 'closed'`,
      all: null,
    }),
    weight: negatable(
      withKeywords(
        { None: where.unset('issues.weight'), Any: where.set('issues.weight') },
        driving(
          equals('issues.weight', numberOr('none, or any', 2 ** 31 - 1)),
          by.nullableColumn('issues.weight', ({ values: [weight] }) => sql`issues.weight = ${weight}`),
        ),
      ),
    ),
    search: negatable(searched.search),
    in: negatable(searched.in),
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
  select: (db, ask, engine) => db.selectFrom('issues').selectAll('issues').where(readableIssues(ask, engine)),
});
