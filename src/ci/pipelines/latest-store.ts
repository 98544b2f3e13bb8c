import { type Expression, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { PipelineRow } from './tables.ts';

/** Maximum number of descendants that are loaded. */
const maxDescendants = 100;

/** Sources whose pipelines never count as the latest of a ref. */
const secondarySources = ['parent_pipeline', 'ondemand_dast_scan', 'ondemand_dast_validation', 'webide', 'external'];

const endedStates = ['success', 'failed', 'canceled', 'skipped', 'manual'];

/** The newest successful pipelines of a ref; includes child pipelines on request. */
export function successfulPipelines(
  db: Reader,
  projectId: number,
  ref: string,
  { limit, children }: { readonly limit: number; readonly children: boolean },
): Promise<PipelineRow[]> {
  let query = db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .where('status', '=', 'success');
  if (!children) query = query.where('source', 'not in', secondarySources);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** The coverage of the newest completed pipeline of each of these commits on each ref. */
export async function finalCoverage(db: Reader, projectIds: readonly number[], commits: readonly string[]) {
  if (commits.length === 0) return [];
  const newest = db
    .selectFrom('pipelines')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('project_id', 'in', [...new Set(projectIds)])
    .where('sha', 'in', [...new Set(commits)])
    .where('coverage', 'is not', null)
    .where('finished_at', 'is not', null)
    .groupBy(['project_id', 'sha', 'ref']);
  return db
    .selectFrom('pipelines')
    .select(['project_id', 'sha', 'ref', 'coverage'])
    .where('id', 'in', newest)
    .$narrowType<{ coverage: number }>()
    .execute();
}

/** The descendants of a pipeline in the same project. */
export async function descendantPipelines(db: Reader, pipeline: PipelineRow): Promise<PipelineRow[]> {
  const found: PipelineRow[] = [];
  for (let parents = [pipeline.id]; parents.length > 0 && found.length < maxDescendants; ) {
    const rows = await db
      .selectFrom('pipelines')
      .selectAll()
      .where('parent_id', 'in', parents)
      .where('project_id', '=', pipeline.project_id)
      .orderBy('id')
      .limit(maxDescendants)
      .execute();
    found.push(...rows);
    parents = rows.map(({ id }) => id);
  }
  return found;
}

/**
 * Unlocks the artifacts of completed pipelines of a ref, except those of its latest pipeline and of its latest
 * successful one with descendants.
 */
export async function unlockOlder(
  trx: Writer,
  { project_id, ref, tag }: PipelineRow,
  keepLatest: boolean,
): Promise<void> {
  let older = trx
    .updateTable('pipelines')
    .set({ locked: 0 })
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('tag', '=', tag)
    .where('locked', '=', sql.lit(1))
    .where('status', 'in', endedStates);
  if (keepLatest) {
    const ofRef = trx
      .selectFrom('pipelines')
      .select((eb) => eb.fn.max('id').as('id'))
      .where('project_id', '=', project_id)
      .where('ref', '=', ref)
      .where('tag', '=', tag)
      .where('source', 'not in', secondarySources);
    const newest = await ofRef.where('status', 'in', endedStates).executeTakeFirst();
    const successful = await ofRef.where('status', '=', 'success').executeTakeFirst();
    // Child pipelines have higher IDs than their parents and complete before them.
    older = older
      .where('id', '<', newest?.id ?? 0)
      .where('id', 'not in', hierarchiesOf(project_id, sql`(${successful?.id ?? 0})`));
  }
  await older.execute();
}

/** SQL for the given pipelines (a list or query in parentheses) and their descendants in the same project. */
function hierarchiesOf(projectId: number, roots: Expression<unknown>) {
  return sql<number>`(
    with recursive family (id) as (
      select id from pipelines where id in ${roots}
      union all
      select child.id from pipelines child join family on child.parent_id = family.id
        where child.project_id = ${projectId}
    )
    select id from family)`;
}

/**
 * Unlocks all artifacts of a project except those of the latest successful pipeline of each ref and its descendants.
 */
export async function unlockAllButLatest(trx: Writer, projectId: number, keepLatest: boolean): Promise<void> {
  const latest = trx
    .selectFrom('pipelines')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('project_id', '=', projectId)
    .where('status', '=', 'success')
    .where('source', 'not in', secondarySources)
    .groupBy(['ref', 'tag']);
  let query = trx
    .updateTable('pipelines')
    .set({ locked: 0 })
    .where('project_id', '=', projectId)
    .where('locked', '=', sql.lit(1));
  if (keepLatest) query = query.where('id', 'not in', hierarchiesOf(projectId, latest));
  await query.execute();
}
