import { sql } from 'kysely';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byExpression } from '../../../platform/list-kit/order.ts';
import { type RequestScope, readableRequests } from '../lists/list-scope.ts';

interface MilestoneRequestScope extends RequestScope {
  readonly milestone: number;
}

const scope = boundProperties<MilestoneRequestScope>()({
  values: ['milestone', 'project', 'group', 'sha', 'deployment', 'user', 'now', 'today'],
});

/** Merge requests of a milestone that the caller may read, by label priority. */
export const milestoneRequestList = list({
  id: 'merge_requests.id',
  scope,
  filters: {},
  orders: {
    label_priority: byExpression(({ direction }) => {
      const priority = sql.ref('merge_requests.label_priority');
      return [
        [sql`case when ${priority} is null then 1 else 0 end`, 'asc'],
        [priority, direction],
      ];
    }, 'desc'),
  },
  select: (db, ask: BoundFilterOf<typeof scope>) =>
    db
      .selectFrom('merge_requests')
      .selectAll('merge_requests')
      .where('merge_requests.milestone_id', '=', ask.milestone)
      .where(readableRequests(ask)),
});
