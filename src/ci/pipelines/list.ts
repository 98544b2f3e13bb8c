import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { form } from '../../platform/database/form.ts';
import { written } from '../../platform/database/shaped.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { param } from '../../platform/http/params.ts';
import { driving } from '../../platform/list-kit/filter.ts';
import { choice, compare, equals, flag, matches } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byExpression, byId } from '../../platform/list-kit/order.ts';
import { finished, statuses } from '../states/public.ts';

/** Where a pipeline came from. */
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

/** Of which project. */
interface PipelineScope {
  readonly project: number;
  /** Child pipelines are shown by the job that started them, unless they and nothing else are asked for. */
  readonly children: boolean;
  /** The only ones that are looked at, where it is known which. */
  readonly ids?: readonly number[] | undefined;
}

/** Of the rows in scope an index has those of each value, in the order of their numbers. */
const indexed = { scoped: true, ordered: true } as const;

const sent = {
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
      param.string({ description: 'A branch, with its merge requests, or a tag' }),
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

/** The pipelines of a project. */
export const pipelineList = list({
  id: 'pipelines.id',
  scope: form<PipelineScope>()({ values: ['project'], lists: ['ids'] }),
  filters: {
    ...sent,
    // Nobody sends these: they stand for the name of a user, a schedule, and the ref of a merge request.
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
    const all = db.selectFrom('pipelines').selectAll('pipelines');
    const source = sql.lit('parent_pipeline');
    const own = children ? all.where('pipelines.source', '=', source) : all.where('pipelines.source', '!=', source);
    if (!ids) return own.where('pipelines.project_id', '=', project);
    // Found by their numbers: no index of the project is to be walked for them.
    return own.where('pipelines.id', 'in', ids).where(sql<SqlBool>`+pipelines.project_id = ${project}`);
  },
});

const { user_id: _, schedule_id: __, full_ref: ___, ...params } = pipelineList.params;
/** The parameters of routes that list pipelines. */
export const pipelineFilterParams = params;

interface OfRefs {
  readonly project: number;
  readonly tag: 0 | 1;
  readonly refs: readonly string[];
  readonly most: number;
}

const newest = statement((db, param: Param<OfRefs>) =>
  written(
    db,
    sql<{ id: number }>`with named (ref) as ${param.texts('refs')}
      select id from (
        select (select pipelines.id from pipelines where pipelines.project_id = ${param('project')}
          and pipelines.ref = named.ref and pipelines.tag = ${param('tag')} and pipelines.source != 'parent_pipeline'
          order by pipelines.id desc limit 1) as id
        from named) as newest
      where id is not null order by id desc limit ${param('most')}`,
  ),
);

/** The newest pipelines of these branches, or of these tags; of no more than so many. */
export async function newestOfRefs(
  db: Reader,
  project: number,
  kind: 'branches' | 'tags',
  refs: readonly string[],
  most: number,
): Promise<number[]> {
  const rows = await newest.all(db, { project, tag: kind === 'tags' ? 1 : 0, refs, most });
  return rows.map(({ id }) => id);
}
