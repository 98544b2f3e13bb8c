import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { numberOrWord } from '../../../planning/issues/public.ts';
import { param } from '../../../platform/http/params.ts';
import { driving, negatable } from '../../../platform/list-kit/filter.ts';
import { choice, compare, equals, matches, matchesAll, withKeywords } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn, byExpression, byNullable, type Order, type OrderKey } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';
import type { StoredCount } from '../../../platform/list-kit/stored-count.ts';
import * as by from './list-drives.ts';
import * as where from './list-filters.ts';
import { type RequestScopeAsked, readableRequests, requestScopeForm } from './list-scope.ts';

type Condition = RawBuilder<SqlBool>;

type Scope = RequestScopeAsked;

const noUser = sql<number>`0`;
const userOf = ({ user }: Scope): Expression<number> => user ?? noUser;

const reactions = {
  None: (ask: Scope): Condition => sql`not ${where.reacted(userOf(ask))}`,
  Any: (ask: Scope): Condition => where.reacted(userOf(ask)),
};

const written = (ask: Scope) => sql<SqlBool>`merge_requests.author_id = ${userOf(ask)}`;
const assigned = (ask: Scope) => where.assignee.is(userOf(ask));
const reviewing = (ask: Scope) => where.reviewer.is(userOf(ask));

const inState = (state: string) => sql<SqlBool>`merge_requests.state = ${sql.lit(state)}`;

const nullsLast = (column: 'merge_requests.milestone_due_date' | 'merge_requests.label_priority') =>
  sql`case when ${sql.ref(column)} is null then 1 else 0 end`;

const byMergeTime = byNullable('merge_requests.merged_at');

/** Unmerged merge requests have no merge time and are ordered by ID only. */
const byMerge: Order = {
  by: (ordering) => {
    const state = ordering.filters.state?.word;
    return state === undefined || state === 'merged' ? byMergeTime.by(ordering) : [];
  },
};

/** Upper bound of a project's total: IIDs are consecutive and deletions are rare. */
function numbered({ within, project, deployment }: Scope): StoredCount | undefined {
  if (within !== 'project' || deployment !== undefined) return undefined;
  return sql`coalesce((select max(m.iid) from merge_requests m where m.project_id = ${project}), 0)`;
}

/** Merge request lists of a project, of a group, of all projects, and of a commit. */
export const requestList = list({
  id: 'merge_requests.id',
  scope: requestScopeForm,
  lateRows: true,
  about: numbered,
  filters: {
    assignee_id: negatable(
      driving(
        withKeywords(
          { None: where.assignee.none, Any: where.assignee.some },
          matches(numberOrWord, (user) => where.assignee.is(user)),
        ),
        by.user(where.assignee),
      ),
    ),
    assignee_username: negatable(
      driving(
        matchesAll(param.commaList(), (name) => where.assignee.named(name)),
        by.usernames(where.assignee),
      ),
    ),
    author_id: negatable(driving(equals('merge_requests.author_id', param.integer()), by.column)),
    author_username: negatable(
      driving(
        matches(param.string(), (name) => where.authorNamed(name)),
        by.column,
      ),
    ),
    approver_ids: withKeywords(
      { None: where.noneEligible, Any: where.someEligible },
      driving(
        matchesAll(param.integers(), (user, ask: Scope) => where.eligible(user, ask)),
        by.approver,
      ),
    ),
    approved_by_ids: withKeywords(
      { None: where.approver.none, Any: where.approver.some },
      driving(
        matchesAll(param.integers(), (user) => where.approver.is(user)),
        by.users(where.approver),
      ),
    ),
    approved_by_usernames: withKeywords(
      { None: where.approver.none, Any: where.approver.some },
      driving(
        matchesAll(param.commaList(), (name) => where.approver.named(name)),
        by.usernames(where.approver),
      ),
    ),
    created_after: driving(compare('merge_requests.created_at', '>=', param.dateTime()), by.column),
    created_before: driving(compare('merge_requests.created_at', '<=', param.dateTime()), by.column),
    updated_after: driving(compare('merge_requests.updated_at', '>=', param.dateTime()), by.column),
    updated_before: driving(compare('merge_requests.updated_at', '<=', param.dateTime()), by.column),
    ...by.deployedFilters,
    iids: driving(equals('merge_requests.iid', param.integers()), by.column),
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
    merge_user_id: driving(equals('merge_requests.merge_user_id', param.integer()), by.column),
    merge_user_username: driving(
      matches(param.string(), (name) => where.mergedByName(name)),
      by.column,
    ),
    milestone: negatable(
      withKeywords(
        {
          None: where.noMilestone,
          Any: where.someMilestone,
          'No Milestone': where.noMilestone,
          'Any Milestone': where.someMilestone,
          Upcoming: where.upcomingMilestone,
          Started: where.startedMilestone,
          '#upcoming': where.upcomingMilestone,
          '#started': where.startedMilestone,
        },
        driving(
          matches(param.string(), (title, ask: Scope) => where.ofMilestones(by.milestonesTitled(title, ask))),
          { ...by.column, words: ['Upcoming', 'Started', '#upcoming', '#started'] },
        ),
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
    reviewer_id: negatable(
      driving(
        withKeywords(
          { None: where.reviewer.none, Any: where.reviewer.some },
          matches(numberOrWord, (user) => where.reviewer.is(user)),
        ),
        by.user(where.reviewer),
      ),
    ),
    reviewer_username: negatable(
      withKeywords(
        { None: where.reviewer.none, Any: where.reviewer.some },
        driving(
          matches(param.string(), (name) => where.reviewer.named(name)),
          by.usernames(where.reviewer),
        ),
      ),
    ),
    scope: driving(
      choice({
        created_by_me: written,
        'created-by-me': written,
        assigned_to_me: assigned,
        'assigned-to-me': assigned,
        reviews_for_me: reviewing,
        'reviews-for-me': reviewing,
        all: null,
      }),
      by.caller,
    ),
    source_branch: driving(equals('merge_requests.source_branch', param.string()), by.column),
    source_project_id: driving(equals('merge_requests.source_project_id', param.integer())),
    // Few of all merge requests of a project may be open.
    state: driving(
      choice({
        opened: inState('opened'),
        closed: inState('closed'),
        locked: inState('locked'),
        merged: inState('merged'),
        all: null,
      }),
      { scoped: true, ordered: true, words: ['opened'] },
    ),
    target_branch: driving(equals('merge_requests.target_branch', param.string()), by.column),
    wip: driving(choice({ yes: where.isDraft, no: where.isNotDraft }), { ...by.column, words: ['yes'] }),
    ...searchFilters({
      index: where.requestSearch,
      columns: { title: 'merge_requests.title', description: 'merge_requests.description' },
      byWords: true,
    }),
  },
  orders: {
    created_at: byColumn('merge_requests.created_at', 'integer'),
    updated_at: byColumn('merge_requests.updated_at', 'integer'),
    merged_at: byMerge,
    title: byExpression(({ direction }) => [[sql`lower(merge_requests.title)`, direction]], 'desc'),
    milestone_due: byNullable('merge_requests.milestone_due_date'),
    label_priority: byNullable('merge_requests.label_priority'),
    popularity: byColumn('merge_requests.upvotes', 'integer', 'desc'),
    priority: byExpression(
      ({ direction }): OrderKey[] => [
        [nullsLast('merge_requests.milestone_due_date'), 'asc'],
        [sql.ref('merge_requests.milestone_due_date'), direction],
        [nullsLast('merge_requests.label_priority'), 'asc'],
        [sql.ref('merge_requests.label_priority'), direction],
      ],
      'desc',
    ),
  },
  select: (db, ask) => db.selectFrom('merge_requests').selectAll('merge_requests').where(readableRequests(ask)),
});
