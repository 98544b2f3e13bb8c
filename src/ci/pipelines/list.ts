import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { form } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { choice, compare, equals, flag } from '../../platform/list-kit/filters.ts';
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
  /** Child pipelines are shown by the job that started them, unless they are asked for. */
  readonly children: boolean;
}

const sent = {
  scope: choice({
    running: sql<SqlBool>`pipelines.status = 'running'`,
    pending: sql<SqlBool>`pipelines.status = 'pending'`,
    finished: sql<SqlBool>`pipelines.status in (${sql.join([...finished].map((status) => sql.lit(status)))})`,
    branches: null,
    tags: null,
  }),
  status: equals('pipelines.status', param.oneOf(statuses)),
  source: equals('pipelines.source', param.oneOf(sources)),
  ref: equals('pipelines.ref', param.string()),
  sha: equals('pipelines.sha', param.string()),
  yaml_errors: flag(sql`pipelines.yaml_errors is not null`),
  name: equals('pipelines.name', param.string()),
  updated_after: compare('pipelines.updated_at', '>', param.dateTime()),
  updated_before: compare('pipelines.updated_at', '<', param.dateTime()),
  created_after: compare('pipelines.created_at', '>', param.dateTime()),
  created_before: compare('pipelines.created_at', '<', param.dateTime()),
};

/** The pipelines of a project. */
export const pipelineList = list({
  id: 'pipelines.id',
  scope: form<PipelineScope>()({ values: ['project'] }),
  filters: {
    ...sent,
    // Nobody sends these: they stand for the name of a user, a schedule, and the newest of each ref.
    user_id: equals('pipelines.user_id', param.integer()),
    schedule_id: equals('pipelines.schedule_id', param.integer()),
    ids: equals('pipelines.id', param.integers()),
  },
  orders: {
    id: byId,
    status: byColumn('pipelines.status', 'text'),
    ref: byColumn('pipelines.ref', 'text'),
    updated_at: byColumn('pipelines.updated_at', 'integer'),
    user_id: byExpression(({ direction }) => [[sql.ref('pipelines.user_id'), direction]]),
  },
  select: (db, { project, children }) => {
    const query = db.selectFrom('pipelines').selectAll('pipelines').where('pipelines.project_id', '=', project);
    return children ? query : query.where('pipelines.source', '!=', 'parent_pipeline');
  },
});

const { user_id: _, schedule_id: __, ids: ___, ...params } = pipelineList.params;
/** The parameters of routes that list pipelines. */
export const pipelineFilterParams = params;

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
