import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn } from '../../../platform/list-kit/order.ts';
import { type IssueScope, readableIssues } from '../../issues/public.ts';

interface EpicIssueScope extends IssueScope {
  readonly epic: number;
}

const scope = boundProperties<EpicIssueScope>()({ values: ['epic', 'project', 'group', 'user', 'now', 'today'] });

/** Issues of an epic that the caller may read, in the order of the epic. */
export const epicIssueList = list({
  id: 'epic_issues.id',
  scope,
  filters: {},
  orders: { position: byColumn('epic_issues.relative_position', 'integer') },
  select: (db, ask: BoundFilterOf<typeof scope>, engine) =>
    db
      .selectFrom('epic_issues')
      .innerJoin('issues', 'issues.id', 'epic_issues.issue_id')
      .selectAll('epic_issues')
      .where('epic_issues.epic_id', '=', ask.epic)
      .where(readableIssues(ask, engine)),
});
