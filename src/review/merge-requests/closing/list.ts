import { sql } from 'kysely';
import { type IssueScope, readableIssues } from '../../../planning/issues/public.ts';
import { type BoundFilterOf, form } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { type RequestScope, readableRequests } from '../lists/list-scope.ts';

interface NamedScope extends IssueScope {
  /** What the texts of a merge request name. */
  readonly ids: readonly number[];
  /** The merge request, where what its comments mention counts as well. */
  readonly request?: number | undefined;
}

const named = form<NamedScope>()({ values: ['request', 'project', 'group', 'user', 'now', 'today'], lists: ['ids'] });

/** The issues that a merge request names, as far as the caller may read them. */
export const namedIssueList = list({
  id: 'issues.id',
  scope: named,
  filters: {},
  orders: { id: byId },
  select: (db, ask: BoundFilterOf<typeof named>, engine) => {
    const mentioned =
      ask.request === undefined
        ? sql``
        : sql`union select c.target_id from cross_references c
            where c.source_type = 'MergeRequest' and c.source_id = ${ask.request} and c.target_type = 'Issue'`;
    return db
      .selectFrom('issues')
      .selectAll('issues')
      .where(sql<boolean>`issues.id in (select i.id from issues i where i.id in ${ask.ids} ${mentioned})`)
      .where(readableIssues(ask, engine));
  },
});

interface IssueRequestScope extends RequestScope {
  readonly issue: number;
  /** Not those alone that close the issue, but all that speak of it. */
  readonly mentioning: boolean;
}

const ofIssue = form<IssueRequestScope>()({
  values: ['issue', 'project', 'group', 'sha', 'deployment', 'user', 'now', 'today'],
});

/** The merge requests that say they close an issue, as far as the caller may read them. */
export const issueRequestList = list({
  id: 'merge_requests.id',
  scope: ofIssue,
  filters: {},
  orders: { id: byId },
  select: (db, ask: BoundFilterOf<typeof ofIssue>) => {
    const mentioning = ask.mentioning
      ? sql`union select c.source_id from cross_references c
          where c.target_type = 'Issue' and c.target_id = ${ask.issue} and c.source_type = 'MergeRequest'`
      : sql``;
    return db
      .selectFrom('merge_requests')
      .selectAll('merge_requests')
      .where(
        sql<boolean>`merge_requests.id in (
          select k.merge_request_id from merge_request_closed_issues k where k.issue_id = ${ask.issue} ${mentioning})`,
      )
      .where(readableRequests(ask));
  },
});
