import { sql } from 'kysely';
import { type IssueScope, readableIssues } from '../../../planning/issues/public.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { type RequestScope, readableRequests } from '../lists/list-scope.ts';

interface NamedScope extends IssueScope {
  /** IDs of the issues mentioned in the texts of a merge request. */
  readonly ids: readonly number[];
  /** The merge request, if mentions in its notes count too. */
  readonly request?: number | undefined;
}

const named = boundProperties<NamedScope>()({
  values: ['request', 'project', 'group', 'user', 'now', 'today'],
  lists: ['ids'],
});

/** Issues mentioned by a merge request that the caller may read. */
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
  /** Includes all merge requests that mention the issue, not only those that close it. */
  readonly mentioning: boolean;
}

const ofIssue = boundProperties<IssueRequestScope>()({
  values: ['issue', 'project', 'group', 'sha', 'deployment', 'user', 'now', 'today'],
});

/** Merge requests that close or mention an issue and that the caller may read. */
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
