import { type Expression, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { PipelineRow } from './tables.ts';

/** Of what a pipeline has started so many are looked at. */
const maxDescendants = 100;

/** What runs beside the pipelines of a ref, and is never the latest of it. */
const beside = ['parent_pipeline', 'ondemand_dast_scan', 'ondemand_dast_validation', 'webide', 'external'];

const over = ['success', 'failed', 'canceled', 'skipped', 'manual'];

/** The newest pipelines of a ref that were successful, the newest first; children of others with them where asked for. */
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
  if (!children) query = query.where('source', 'not in', beside);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** The pipelines that these have started in the same project, and those that they have started. */
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

/** Lets the artifacts of a ref expire that are older than its newest pipeline and do not belong to its latest successful one. */
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
    .where('status', 'in', over);
  if (keepLatest) {
    const ofRef = trx
      .selectFrom('pipelines')
      .select((eb) => eb.fn.max('id').as('id'))
      .where('project_id', '=', project_id)
      .where('ref', '=', ref)
      .where('tag', '=', tag)
      .where('source', 'not in', beside);
    const newest = await ofRef.where('status', 'in', over).executeTakeFirst();
    const successful = await ofRef.where('status', '=', 'success').executeTakeFirst();
    // What a pipeline starts has a higher number, and is over before it.
    older = older
      .where('id', '<', newest?.id ?? 0)
      .where('id', 'not in', familiesOf(project_id, sql`(${successful?.id ?? 0})`));
  }
  await older.execute();
}

/** Some pipelines (a list or query in brackets) and all that came of them in the same project. */
function familiesOf(projectId: number, heads: Expression<unknown>) {
  return sql<number>`(
    with recursive family (id) as (
      select id from pipelines where id in ${heads}
      union all
      select child.id from pipelines child join family on child.parent_id = family.id
        where child.project_id = ${projectId}
    )
    select id from family)`;
}

/** Lets all artifacts of a project expire, but for those of the latest successful pipeline of each ref and what it started. */
export async function unlockAllButLatest(trx: Writer, projectId: number, keepLatest: boolean): Promise<void> {
  const latest = trx
    .selectFrom('pipelines')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('project_id', '=', projectId)
    .where('status', '=', 'success')
    .where('source', 'not in', beside)
    .groupBy(['ref', 'tag']);
  let query = trx
    .updateTable('pipelines')
    .set({ locked: 0 })
    .where('project_id', '=', projectId)
    .where('locked', '=', sql.lit(1));
  if (keepLatest) query = query.where('id', 'not in', familiesOf(projectId, latest));
  await query.execute();
}
