import { sql } from 'kysely';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byExpression } from '../../../platform/list-kit/order.ts';
import { type IssueScope, readableIssues } from '../lists/list-scope.ts';

interface MilestoneIssueScope extends IssueScope {
  readonly milestone: number;
}

const scope = boundProperties<MilestoneIssueScope>()({
  values: ['milestone', 'project', 'group', 'user', 'now', 'today'],
});

/** Issues of a milestone that the caller may read, by label priority. */
export const milestoneIssueList = list({
  id: 'issues.id',
  scope,
  filters: {},
  orders: {
    label_priority: byExpression(({ direction }) => {
      const priority = sql.ref('issues.label_priority');
      return [
        [sql`case when ${priority} is null then 1 else 0 end`, 'asc'],
        [priority, direction],
      ];
    }, 'desc'),
  },
  select: (db, ask: BoundFilterOf<typeof scope>, engine) =>
    db
      .selectFrom('issues')
      .selectAll('issues')
      .where('issues.milestone_id', '=', ask.milestone)
      .where(readableIssues(ask, engine)),
});

/** Times at which issues of a milestone were opened, closed and reopened. */
export const burndownList = list({
  id: 'issues.id',
  scope,
  filters: {},
  orders: {
    created_at: byExpression(({ direction }) => [
      [sql.ref('burndown.created_at'), direction],
      [sql.ref('burndown.id'), direction],
    ]),
  },
  select: (db, ask: BoundFilterOf<typeof scope>, engine) =>
    db
      .selectFrom('issues')
      .innerJoin(
        (eb) =>
          eb
            .selectFrom('issues as i')
            .select(['i.id as issue_id', 'i.id', 'i.created_at', sql<string>`'created'`.as('action')])
            .where('i.milestone_id', '=', ask.milestone)
            .unionAll(
              eb
                .selectFrom('resource_state_events as e')
                .innerJoin('issues as i', 'i.id', 'e.target_id')
                .select(['i.id as issue_id', 'e.id', 'e.created_at', sql<string>`e.state`.as('action')])
                .where('e.target_type', '=', 'Issue')
                .where('i.milestone_id', '=', ask.milestone)
                .where('e.state', 'in', ['closed', 'reopened']),
            )
            .as('burndown'),
        (join) => join.onRef('burndown.issue_id', '=', 'issues.id'),
      )
      .select(['burndown.created_at', 'burndown.action', 'issues.weight'])
      .where(readableIssues(ask, engine)),
});
