import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { labelFilters } from '../../../planning/labels/public.ts';
import { startedMilestones, upcomingMilestones } from '../../../planning/milestones/public.ts';
import { SearchIndex } from '../../../platform/database/search-index.ts';

type Condition = RawBuilder<SqlBool>;

export const requestSearch = new SearchIndex({
  table: 'merge_requests',
  columns: ['title', 'description'],
  inPieces: true,
});

const tables = {
  has_assignees: 'merge_request_assignees',
  has_reviewers: 'merge_request_reviewers',
  has_approvals: 'merge_request_approvals',
} as const;

export const userNamed = (name: Expression<unknown>): Expression<unknown> =>
  sql`(select id from users where lower(username) = lower(${name}))`;

/**
 * Filters for one of the tables that join users to merge requests; whether a merge request has any is a column of its
 * own.
 */
function people(kept: keyof typeof tables) {
  const rows = sql.table(tables[kept]);
  const has = sql.ref(`merge_requests.${kept}`);
  const is = (user: Expression<unknown>): Condition =>
    sql`exists (select 1 from ${rows} a where a.merge_request_id = merge_requests.id and a.user_id = ${user})`;
  return {
    rows,
    some: sql<SqlBool>`${has} = 1`,
    none: sql<SqlBool>`${has} = 0`,
    is,
    named: (name: Expression<unknown>): Condition => is(userNamed(name)),
  };
}

export const assignee = people('has_assignees');
export const reviewer = people('has_reviewers');
export const approver = people('has_approvals');

/** The project whose approval rules are searched; they are the same for all its merge requests. */
interface Ruled {
  readonly project?: Expression<unknown> | undefined;
}

const rules = sql`approval_rules r join approval_rule_users ru on ru.rule_id = r.id`;

/** A rule of the merge request or of its project names a user that meets the condition. */
const ruled = (which: Condition, { project = sql.ref('merge_requests.project_id') }: Ruled): Condition =>
  sql`(exists (select 1 from ${rules} where r.merge_request_id is null and r.project_id = ${project} and ${which})
    or exists (select 1 from ${rules} where r.merge_request_id = merge_requests.id and ${which}))`;

export const eligible = (user: Expression<unknown>, ask: Ruled): Condition => ruled(sql`ru.user_id = ${user}`, ask);
export const someEligible = (ask: Ruled): Condition => ruled(sql`1 = 1`, ask);
export const noneEligible = (ask: Ruled): Condition => sql`not ${someEligible(ask)}`;

export const authorNamed = (name: Expression<unknown>): Condition => sql`merge_requests.author_id = ${userNamed(name)}`;

export const mergedByName = (name: Expression<unknown>): Condition =>
  sql`merge_requests.merge_user_id = ${userNamed(name)}`;

export const requestLabels = labelFilters({
  labels: 'merge_request_labels',
  thing: 'merge_request_id',
  pairs: 'derived_request_label_pairs',
  unpaired: 'derived_unpaired_request_labels',
});

type Titled = [title: Parameters<typeof requestLabels.isTitled>[1], ask: Parameters<typeof requestLabels.isTitled>[2]];

/** Condition that a merge request has a label with this title. */
export const labelled = (...[title, ask]: Titled): Condition =>
  sql`exists (select 1 from merge_request_labels ml
    where ml.merge_request_id = merge_requests.id and ${requestLabels.isTitled(sql.ref('ml.label_id'), title, ask)})`;

export const someLabel: Condition = sql`merge_requests.has_labels = 1`;
export const noLabel: Condition = sql`merge_requests.has_labels = 0`;

export const ofMilestones = (milestones: RawBuilder<{ id: number }>): Condition =>
  sql`merge_requests.milestone_id in (${milestones})`;

export const someMilestone: Condition = sql`merge_requests.milestone_id is not null`;
export const noMilestone: Condition = sql`merge_requests.milestone_id is null`;

interface Today {
  readonly today: Expression<string>;
}

export const upcomingMilestone = (ask: Today): Condition => ofMilestones(upcomingMilestones(ask));
export const startedMilestone = (ask: Today): Condition => ofMilestones(startedMilestones(ask));

const reaction = (user: Expression<unknown>, which: Condition): Condition =>
  sql`exists (select 1 from award_emoji e where e.user_id = ${user} and e.awardable_type = 'MergeRequest'
    and e.awardable_id = merge_requests.id and ${which})`;

export const reactedWith = (user: Expression<unknown>, name: Expression<unknown>): Condition =>
  reaction(user, sql`e.name = ${name}`);
export const reacted = (user: Expression<unknown>): Condition => reaction(user, sql`1 = 1`);

/**
 * The `draft` filter, unlike everything else, also accepts the prefix `Draft - `. An index contains exactly this
 * expression.
 */
const draftMark = sql`(case when merge_requests.draft = 1
  or substr(lower(merge_requests.title), 1, 8) = 'draft - ' then 1 else 0 end)`;
export const isDraft: Condition = sql`${draftMark} = 1`;
export const isNotDraft: Condition = sql`${draftMark} = 0`;
