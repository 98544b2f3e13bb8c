import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { searchIndex } from '../../../platform/database/search-index.ts';

type Condition = RawBuilder<SqlBool>;

export const requestSearch = searchIndex({ table: 'merge_requests', columns: ['title', 'description'] });

/** The three tables that join people to merge requests are asked alike. */
function people(table: 'merge_request_assignees' | 'merge_request_reviewers' | 'merge_request_approvals') {
  const rows = sql.table(table);
  const some: Condition = sql`exists (select 1 from ${rows} a where a.merge_request_id = merge_requests.id)`;
  return {
    some,
    none: sql<SqlBool>`not ${some}`,
    is: (user: Expression<unknown>): Condition =>
      sql`exists (select 1 from ${rows} a where a.merge_request_id = merge_requests.id and a.user_id = ${user})`,
    named: (name: Expression<unknown>): Condition =>
      sql`exists (select 1 from ${rows} a join users u on u.id = a.user_id
        where a.merge_request_id = merge_requests.id and lower(u.username) = lower(${name}))`,
  };
}

export const assignee = people('merge_request_assignees');
export const reviewer = people('merge_request_reviewers');
export const approver = people('merge_request_approvals');

/** Rules that ask for approvals: the merge request's own, and those of its project. */
const ruled = (which: Condition): Condition =>
  sql`exists (select 1 from approval_rules r join approval_rule_users ru on ru.rule_id = r.id
    where (r.merge_request_id = merge_requests.id
      or (r.merge_request_id is null and r.project_id = merge_requests.project_id)) and ${which})`;

export const eligible = (user: Expression<unknown>): Condition => ruled(sql`ru.user_id = ${user}`);
export const someEligible: Condition = ruled(sql`1 = 1`);
export const noneEligible: Condition = sql`not ${someEligible}`;

export const authorNamed = (name: Expression<unknown>): Condition =>
  sql`merge_requests.author_id = (select id from users where lower(username) = lower(${name}))`;

export const mergedByName = (name: Expression<unknown>): Condition =>
  sql`merge_requests.merge_user_id = (select id from users where lower(username) = lower(${name}))`;

/** Carries one of these labels. */
export const labelled = (labels: RawBuilder<{ id: number }>): Condition =>
  sql`exists (select 1 from merge_request_labels ml
    where ml.merge_request_id = merge_requests.id and ml.label_id in (${labels}))`;

export const someLabel: Condition = sql`exists (select 1 from merge_request_labels ml
  where ml.merge_request_id = merge_requests.id)`;
export const noLabel: Condition = sql`not ${someLabel}`;

const ofMilestone = (which: Condition): Condition =>
  sql`exists (select 1 from milestones m where m.id = merge_requests.milestone_id and ${which})`;

export const milestoneTitled = (title: Expression<unknown>): Condition => ofMilestone(sql`m.title = ${title}`);
export const someMilestone: Condition = sql`merge_requests.milestone_id is not null`;
export const noMilestone: Condition = sql`merge_requests.milestone_id is null`;

interface Today {
  readonly today: Expression<string>;
}

/** Of each project or group the active milestone that is due next. */
export const upcomingMilestone = ({ today }: Today): Condition =>
  ofMilestone(sql`m.state = 'active' and m.due_date > ${today} and not exists (
    select 1 from milestones o where o.state = 'active' and o.due_date > ${today} and o.due_date < m.due_date
      and (o.project_id = m.project_id or o.namespace_id = m.namespace_id))`);

export const startedMilestone = ({ today }: Today): Condition =>
  ofMilestone(sql`m.state = 'active' and m.start_date <= ${today}`);

const reaction = (user: Expression<unknown>, which: Condition): Condition =>
  sql`exists (select 1 from award_emoji e where e.user_id = ${user} and e.awardable_type = 'MergeRequest'
    and e.awardable_id = merge_requests.id and ${which})`;

export const reactedWith = (user: Expression<unknown>, name: Expression<unknown>): Condition =>
  reaction(user, sql`e.name = ${name}`);
export const reacted = (user: Expression<unknown>): Condition => reaction(user, sql`1 = 1`);

/** Lists also take `Draft - ` for the mark of a draft, which nothing else does. An index has those, in these words. */
export const isDraft: Condition = sql`(merge_requests.draft = 1
  or substr(lower(merge_requests.title), 1, 8) = 'draft - ')`;
