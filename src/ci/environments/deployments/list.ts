import type { Reader } from '../../../platform/database/database.ts';
import { fetchPage, type Slice } from '../../../platform/database/paging.ts';
import type { DeploymentStatus } from '../tables.ts';

export interface DeploymentFilter {
  readonly order_by: 'id' | 'iid' | 'created_at' | 'updated_at' | 'finished_at' | 'ref';
  readonly sort: 'asc' | 'desc';
  readonly updated_after?: number;
  readonly updated_before?: number;
  readonly finished_after?: number;
  readonly finished_before?: number;
  readonly environment?: string;
  readonly status?: DeploymentStatus;
}

/** One page of the deployments of a project. */
export function listDeployments(db: Reader, projectId: number, filter: DeploymentFilter, slice: Slice) {
  let query = db.selectFrom('deployments').selectAll().where('project_id', '=', projectId);
  if (filter.environment !== undefined) {
    query = query.where('environment_id', 'in', (eb) =>
      eb
        .selectFrom('environments')
        .select('environments.id')
        .where('environments.project_id', '=', projectId)
        .where('environments.name', '=', filter.environment ?? ''),
    );
  }
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  for (const column of ['updated', 'finished'] as const) {
    const after = filter[`${column}_after`];
    const before = filter[`${column}_before`];
    if (after !== undefined) query = query.where(`${column}_at`, '>=', after);
    if (before !== undefined) query = query.where(`${column}_at`, '<=', before);
  }
  if (filter.order_by !== 'id') query = query.orderBy(filter.order_by, filter.sort);
  return fetchPage(db, query.orderBy('id', filter.sort), slice);
}
