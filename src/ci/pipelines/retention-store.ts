import { type SqlBool, sql } from 'kysely';
import type { Project } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { completed } from '../states/public.ts';
import type { PipelineRow } from './tables.ts';

/** The projects beyond a number that may have said how long pipelines are kept; the condition is that of an index. */
export function projectsWithRetention(db: Reader, beyond: number, limit: number): Promise<Project[]> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where(sql<SqlBool>`settings like '%ci_delete_pipelines_in_seconds%'`)
    .where('id', '>', beyond)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The oldest pipelines of a project beyond a number, made before an instant, that are over. */
export function oldPipelines(
  db: Reader,
  projectId: number,
  { madeBefore, beyond, limit }: { readonly madeBefore: number; readonly beyond: number; readonly limit: number },
): Promise<PipelineRow[]> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '>', beyond)
    .where('created_at', '<', madeBefore)
    .where('status', 'in', [...completed, 'manual'])
    .orderBy('id')
    .limit(limit)
    .execute();
}
