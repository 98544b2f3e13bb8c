import type { Reader } from '../../platform/database/database.ts';
import { fetchPage, type Slice } from '../../platform/database/paging.ts';
import { finished } from '../states/public.ts';
import type { PipelineRow } from './tables.ts';

export interface PipelineFilter {
  readonly scope?: 'running' | 'pending' | 'finished' | 'branches' | 'tags';
  readonly status?: string;
  readonly source?: string;
  readonly ref?: string;
  readonly sha?: string;
  readonly yaml_errors?: boolean;
  readonly name?: string;
  readonly userId?: number;
  readonly scheduleId?: number;
  readonly updated_after?: number;
  readonly updated_before?: number;
  readonly created_after?: number;
  readonly created_before?: number;
  readonly order_by: 'id' | 'status' | 'ref' | 'updated_at' | 'user_id';
  readonly sort: 'asc' | 'desc';
  /** The pipelines among which to look; all of the project's unless given. */
  readonly ids?: readonly number[];
}

/** One page of the pipelines of a project. */
export function listPipelines(
  db: Reader,
  projectId: number,
  filter: PipelineFilter,
  slice: Slice,
): Promise<{ rows: PipelineRow[]; total: number }> {
  let query = db.selectFrom('pipelines').selectAll().where('project_id', '=', projectId);
  // Child pipelines are shown by the job that started them.
  if (filter.source === undefined) query = query.where('source', '!=', 'parent_pipeline');
  else query = query.where('source', '=', filter.source);
  if (filter.scope === 'running' || filter.scope === 'pending') query = query.where('status', '=', filter.scope);
  if (filter.scope === 'finished') query = query.where('status', 'in', [...finished]);
  if (filter.ids !== undefined) query = query.where('id', 'in', [...filter.ids]);
  for (const column of ['status', 'ref', 'sha', 'name'] as const) {
    const value = filter[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (filter.scheduleId !== undefined) query = query.where('schedule_id', '=', filter.scheduleId);
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
  if (filter.yaml_errors !== undefined) query = query.where('yaml_errors', filter.yaml_errors ? 'is not' : 'is', null);
  for (const column of ['updated', 'created'] as const) {
    const after = filter[`${column}_after`];
    const before = filter[`${column}_before`];
    if (after !== undefined) query = query.where(`${column}_at`, '>', after);
    if (before !== undefined) query = query.where(`${column}_at`, '<', before);
  }
  if (filter.order_by !== 'id') query = query.orderBy(filter.order_by, filter.sort);
  return fetchPage(db, query.orderBy('id', filter.sort), slice);
}

/** The newest pipeline of each branch, or of each tag; of no more than so many. */
export function newestOfRefs(
  db: Reader,
  projectId: number,
  tag: boolean,
  most: number,
): Promise<{ ref: string; id: number }[]> {
  return db
    .selectFrom('pipelines')
    .select((eb) => ['ref', eb.fn.max('id').as('id')])
    .where('project_id', '=', projectId)
    .where('tag', '=', tag ? 1 : 0)
    .where('source', '!=', 'parent_pipeline')
    .groupBy('ref')
    .orderBy('id', 'desc')
    .limit(most)
    .execute();
}
