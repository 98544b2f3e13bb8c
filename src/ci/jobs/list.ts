import type { Reader } from '../../platform/database/database.ts';
import { beyond, type KeysetOrder, type Position, sliceOf } from '../../platform/database/keyset.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { CiJobRow } from './tables.ts';

export interface JobFilter {
  readonly scope?: readonly string[];
  readonly ref?: string;
}

function ofProject(db: Reader, projectId: number, { scope, ref }: JobFilter) {
  let query = db.selectFrom('ci_jobs').selectAll().where('project_id', '=', projectId).where('kind', '=', 'build');
  if (scope && scope.length > 0) query = query.where('status', 'in', scope);
  if (ref !== undefined) query = query.where('ref', '=', ref);
  return query;
}

/** One page of the jobs of a project, and whether there are more. They are not counted: there may be millions. */
export async function jobsPage(
  db: Reader,
  projectId: number,
  filter: JobFilter,
  sort: 'asc' | 'desc',
  { offset, perPage }: Slice,
): Promise<{ rows: CiJobRow[]; more: boolean }> {
  const rows = await ofProject(db, projectId, filter)
    .orderBy('id', sort)
    .limit(perPage + 1)
    .offset(offset)
    .execute();
  return { rows: rows.slice(0, perPage), more: rows.length > perPage };
}

/** The jobs of a project beyond a position. */
export async function jobsBeyond(
  db: Reader,
  projectId: number,
  filter: JobFilter,
  order: KeysetOrder,
  position: Position | undefined,
  perPage: number,
) {
  const query = beyond(ofProject(db, projectId, filter), order, position?.values, position?.backwards ?? false);
  return sliceOf(await query.limit(perPage + 1).execute(), position, perPage);
}

/** One page of the jobs of a pipeline, or of its bridges, or of both. */
export function jobsOfPipeline(
  db: Reader,
  pipelineId: number,
  filter: JobFilter & { readonly kind?: 'build' | 'bridge'; readonly retried: boolean },
  slice: Slice,
): Promise<{ rows: CiJobRow[]; total: number }> {
  let query = db.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId);
  if (filter.kind) query = query.where('kind', '=', filter.kind);
  if (!filter.retried) query = query.where('retried', '=', 0);
  if (filter.scope && filter.scope.length > 0) query = query.where('status', 'in', filter.scope);
  return fetchPage(db, query.orderBy('id', 'desc'), slice);
}
