import { type SqlBool, sql } from 'kysely';
import type { Project } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { completed } from '../states/public.ts';
import type { PipelineRow } from './tables.ts';

/** Projects, by ID after the given one, that may have a retention period. The condition matches a partial index. */
export function projectsWithRetention(db: Reader, afterId: number, limit: number): Promise<Project[]> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where(sql<SqlBool>`settings like '%ci_delete_pipelines_in_seconds%'`)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Completed pipelines of a project created before a time, by ID after the given one. */
export function oldPipelines(
  db: Reader,
  projectId: number,
  {
    createdBefore,
    afterId,
    limit,
  }: { readonly createdBefore: number; readonly afterId: number; readonly limit: number },
): Promise<PipelineRow[]> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '>', afterId)
    .where('created_at', '<', createdBefore)
    .where('status', 'in', [...completed, 'manual'])
    .orderBy('id')
    .limit(limit)
    .execute();
}
