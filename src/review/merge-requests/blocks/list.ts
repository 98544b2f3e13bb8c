import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { type RequestScope, readableRequests } from '../lists/list-scope.ts';

interface BlockScope extends RequestScope {
  readonly request: number;
}

const scope = boundProperties<BlockScope>()({
  values: ['request', 'project', 'group', 'sha', 'deployment', 'user', 'now', 'today'],
});

const columns = ['merge_request_blocks.id', 'blocking_id', 'blocked_id'] as const;

/** Merge requests that block a merge request and that the caller may read. */
export const blockList = list({
  id: 'merge_request_blocks.id',
  scope,
  filters: {},
  orders: { id: byId },
  select: (db, ask: BoundFilterOf<typeof scope>) =>
    db
      .selectFrom('merge_request_blocks')
      .innerJoin('merge_requests', 'merge_requests.id', 'merge_request_blocks.blocking_id')
      .select(columns)
      .where('merge_request_blocks.blocked_id', '=', ask.request)
      .where(readableRequests(ask)),
});

/** Merge requests blocked by a merge request and that the caller may read. */
export const blockeeList = list({
  id: 'merge_request_blocks.id',
  scope,
  filters: {},
  orders: { id: byId },
  select: (db, ask: BoundFilterOf<typeof scope>) =>
    db
      .selectFrom('merge_request_blocks')
      .innerJoin('merge_requests', 'merge_requests.id', 'merge_request_blocks.blocked_id')
      .select(columns)
      .where('merge_request_blocks.blocking_id', '=', ask.request)
      .where(readableRequests(ask)),
});
