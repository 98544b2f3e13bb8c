import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { rawQuery } from '../../platform/database/shaped.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { param } from '../../platform/http/params.ts';
import { driving } from '../../platform/list-kit/filter.ts';
import { choice, compare, equals, flag, matches } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byExpression, byId } from '../../platform/list-kit/order.ts';
import { finished, statuses } from '../states/public.ts';

/** Sources of pipelines. */
export const sources = [
  'push',
  'web',
  'trigger',
  'schedule',
  'api',
  'external',
  'pipeline',
  'chat',
  'webide',
  'merge_request_event',
  'external_pull_request_event',
  'parent_pipeline',
  'ondemand_dast_scan',
  'ondemand_dast_validation',
  'security_orchestration_policy',
  'container_registry_push',
  'duo_workflow',
  'pipeline_execution_policy_schedule',
] as const;

/** Project and kind of the listed pipelines. */
interface PipelineScope {
  readonly project: number;
  /** Lists only child pipelines; otherwise they are excluded, as their trigger job shows them. */
  readonly children: boolean;
  /** Restricts the list to these IDs. */
  readonly ids?: readonly number[] | undefined;
}

/** An index returns the rows in scope for each value in ID order. */
const indexed = { scoped: true, ordered: true } as const;

const publicFilters = {
  scope: driving(
    choice({
      running: sql<SqlBool>`pipelines.status = 'running'`,
      pending: sql<SqlBool>`pipelines.status = 'pending'`,
      finished: sql<SqlBool>`pipelines.status in (${sql.join([...finished].map((status) => sql.lit(status)))})`,
      branches: null,
      tags: null,
    }),
    { ...indexed, words: ['running', 'pending'] },
  ),
  status: driving(equals('pipelines.status', param.oneOf(statuses)), indexed),
  source: driving(equals('pipelines.source', param.oneOf(sources)), indexed),
  ref: driving(
    matches(
      param.string({ description: 'Branch name, which includes its merge requests, or tag name' }),
      (ref) => sql<SqlBool>`coalesce(pipelines.source_branch, pipelines.ref) = ${ref}`,
    ),
    indexed,
  ),
  sha: driving(equals('pipelines.sha', param.string()), indexed),
  yaml_errors: driving(flag(sql`pipelines.yaml_errors is not null`), { ...indexed, words: ['true'] }),
  name: driving(equals('pipelines.name', param.string()), indexed),
  updated_after: driving(compare('pipelines.updated_at', '>', param.dateTime()), { scoped: true }),
  updated_before: driving(compare('pipelines.updated_at', '<', param.dateTime()), { scoped: true }),
  created_after: driving(compare('pipelines.created_at', '>', param.dateTime()), { scoped: true }),
  created_before: driving(compare('pipelines.created_at', '<', param.dateTime()), { scoped: true }),
};

/** The pipeline list of a project. */
export const pipelineList = list({
  id: 'pipelines.id',
  scope: boundProperties<PipelineScope>()({ values: ['project'], lists: ['ids'] }),
  filters: {
    ...publicFilters,
    // Internal filters: the user found by name, a schedule, and the ref of a merge request.
    user_id: driving(equals('pipelines.user_id', param.integer()), indexed),
    schedule_id: driving(equals('pipelines.schedule_id', param.integer()), indexed),
    full_ref: driving(equals('pipelines.ref', param.string()), indexed),
  },
  orders: {
    id: byId,
    status: byColumn('pipelines.status', 'text'),
    ref: byColumn('pipelines.ref', 'text'),
    updated_at: byColumn('pipelines.updated_at', 'integer'),
    user_id: byExpression(({ direction }) => [[sql.ref('pipelines.user_id'), direction]]),
  },
  lateRows: true,
  select: (db, { project, children, ids }) => {
    const pipelines = db.selectFrom('pipelines').selectAll('pipelines');
    const source = sql.lit('parent_pipeline');
    const own = children
      ? pipelines.where('pipelines.source', '=', source)
      : pipelines.where('pipelines.source', '!=', source);
    if (!ids) return own.where('pipelines.project_id', '=', project);
    // Found by primary key: keep the planner from walking a project index instead.
    return own.where('pipelines.id', 'in', ids).where(sql<SqlBool>`+pipelines.project_id = ${project}`);
  },
});

const { user_id: _, schedule_id: __, full_ref: ___, ...params } = pipelineList.params;
/** Parameters of routes that list pipelines. */
export const pipelineFilterParams = params;

interface OfRefs {
  readonly project: number;
  readonly tag: 0 | 1;
  readonly refs: readonly string[];
  readonly limit: number;
}

const newest = statement((db, param: Param<OfRefs>) =>
  rawQuery(
    db,
    sql<{ id: number }>`with named (ref) as ${param.texts('refs')}
      select id from (
        select (select pipelines.id from pipelines where pipelines.project_id = ${param('project')}
          and pipelines.ref = named.ref and pipelines.tag = ${param('tag')} and pipelines.source != 'parent_pipeline'
          order by pipelines.id desc limit 1) as id
        from named) as newest
      where id is not null order by id desc limit ${param('limit')}`,
  ),
);

/** IDs of the newest pipeline of each of these branches or tags, up to `limit`. */
export async function newestOfRefs(
  db: Reader,
  project: number,
  kind: 'branches' | 'tags',
  refs: readonly string[],
  limit: number,
): Promise<number[]> {
  const rows = await newest.all(db, { project, tag: kind === 'tags' ? 1 : 0, refs, limit });
  return rows.map(({ id }) => id);
}
