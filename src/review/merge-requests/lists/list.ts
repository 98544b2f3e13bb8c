import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Param, param } from '../../../platform/http/params.ts';
import { driving, negatable } from '../../../platform/list-kit/filter.ts';
import {
  choice,
  compare,
  equals,
  every,
  matches,
  onlyIf,
  orWords,
  searching,
} from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn, byExpression, byNullable, type OrderKey } from '../../../platform/list-kit/order.ts';
import * as by from './list-drives.ts';
import * as where from './list-filters.ts';
import { type RequestScopeAsked, readableRequests, requestScopeForm } from './list-scope.ts';

type Condition = RawBuilder<SqlBool>;

type Scope = RequestScopeAsked;

const nobody = sql<number>`0`;
const userOf = ({ user }: Scope): Expression<number> => user ?? nobody;

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

const written = (ask: Scope) => sql<SqlBool>`merge_requests.author_id = ${userOf(ask)}`;
const assigned = (ask: Scope) => where.assignee.is(userOf(ask));
const reviewing = (ask: Scope) => where.reviewer.is(userOf(ask));

const inState = (state: string) => sql<SqlBool>`merge_requests.state = ${sql.lit(state)}`;

const nullsLast = (column: 'merge_requests.milestone_due_date' | 'merge_requests.label_priority') =>
  sql`case when ${sql.ref(column)} is null then 1 else 0 end`;

/** The lists of merge requests: of a project, of a group, of all, and those of a commit. */
export const requestList = list({
  id: 'merge_requests.id',
  scope: requestScopeForm,
  filters: {
    assignee_id: negatable(
      driving(
        orWords(
          { None: where.assignee.none, Any: where.assignee.some },
          matches(userNumber, (user) => where.assignee.is(user)),
        ),
        {
          ids: ({ values: [user] }) =>
            sql`select merge_request_id as id from merge_request_assignees where user_id = ${user}`,
        },
      ),
    ),
    assignee_username: negatable(every(param.commaList(), (name) => where.assignee.named(name))),
    author_id: negatable(driving(equals('merge_requests.author_id', param.integer()))),
    author_username: negatable(driving(matches(param.string(), (name) => where.authorNamed(name)))),
    approver_ids: orWords(
      { None: where.noneEligible, Any: where.someEligible },
      every(param.integers(), (user) => where.eligible(user)),
    ),
    approved_by_ids: orWords(
      { None: where.approver.none, Any: where.approver.some },
      every(param.integers(), (user) => where.approver.is(user)),
    ),
    approved_by_usernames: orWords(
      { None: where.approver.none, Any: where.approver.some },
      every(param.commaList(), (name) => where.approver.named(name)),
    ),
    created_after: compare('merge_requests.created_at', '>=', param.dateTime()),
    created_before: compare('merge_requests.created_at', '<=', param.dateTime()),
    updated_after: compare('merge_requests.updated_at', '>=', param.dateTime()),
    updated_before: compare('merge_requests.updated_at', '<=', param.dateTime()),
    ...by.deployedFilters,
    iids: equals('merge_requests.iid', param.integers()),
    labels: negatable(
      orWords(
        { None: where.noLabel, Any: where.someLabel, 'No Label': where.noLabel },
        driving(
          every(param.commaList(), (title, ask: Scope) => where.labelled(by.labelsTitled(title, ask))),
          by.labels,
        ),
      ),
    ),
    merge_user_id: driving(equals('merge_requests.merge_user_id', param.integer())),
    merge_user_username: matches(param.string(), (name) => where.mergedByName(name)),
    milestone: negatable(
      orWords(
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
        matches(param.string(), (title) => where.milestoneTitled(title)),
      ),
    ),
    my_reaction_emoji: negatable(
      orWords(
        reactions,
        matches(param.string(), (name, ask: Scope) => where.reactedWith(userOf(ask), name)),
      ),
    ),
    non_archived: onlyIf(
      sql<SqlBool>`not exists (select 1 from projects p where p.id = merge_requests.project_id and p.archived = 1)`,
    ),
    reviewer_id: negatable(
      driving(
        orWords(
          { None: where.reviewer.none, Any: where.reviewer.some },
          matches(userNumber, (user) => where.reviewer.is(user)),
        ),
        {
          ids: ({ values: [user] }) =>
            sql`select merge_request_id as id from merge_request_reviewers where user_id = ${user}`,
        },
      ),
    ),
    reviewer_username: negatable(
      orWords(
        { None: where.reviewer.none, Any: where.reviewer.some },
        matches(param.string(), (name) => where.reviewer.named(name)),
      ),
    ),
    scope: choice({
      created_by_me: written,
      'created-by-me': written,
      assigned_to_me: assigned,
      'assigned-to-me': assigned,
      reviews_for_me: reviewing,
      'reviews-for-me': reviewing,
      all: null,
    }),
    source_branch: driving(equals('merge_requests.source_branch', param.string())),
    source_project_id: equals('merge_requests.source_project_id', param.integer()),
    state: choice({
      opened: inState('opened'),
      closed: inState('closed'),
      locked: inState('locked'),
      merged: inState('merged'),
      all: null,
    }),
    target_branch: equals('merge_requests.target_branch', param.string()),
    wip: driving(choice({ yes: where.isDraft, no: sql<SqlBool>`not ${where.isDraft}` }), {
      scoped: true,
      words: ['yes'],
      counts: true,
    }),
    ...searching({
      index: where.requestSearch,
      columns: { title: 'merge_requests.title', description: 'merge_requests.description' },
    }),
  },
  orders: {
    created_at: byColumn('merge_requests.created_at', 'integer'),
    updated_at: byColumn('merge_requests.updated_at', 'integer'),
    merged_at: byNullable('merge_requests.merged_at'),
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
