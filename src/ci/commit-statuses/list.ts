import { sql } from 'kysely';
import { boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byExpression, type OrderKey } from '../../platform/list-kit/order.ts';

/** Selects the statuses of one commit: the current ones, or all of them including retried ones. */
interface StatusScope {
  readonly project: number;
  readonly sha: string;
  readonly all: boolean;
}

const columns = [
  'id',
  'project_id',
  'pipeline_id',
  'sha',
  'ref',
  'stage',
  'name',
  'status',
  'coverage',
  'user_id',
  'allow_failure',
  'retried',
  'created_at',
  'started_at',
  'finished_at',
] as const;

// Jobs and reported statuses have separate ID sequences, so an ID alone is not unique here.
const kind: OrderKey = [sql.ref('commit_statuses.is_job'), 'asc'];
const statusId = sql.ref('commit_statuses.id');

export const statusList = list({
  id: 'commit_statuses.id',
  scope: boundProperties<StatusScope>()({ values: ['project', 'sha'] }),
  filters: {
    ref: equals('commit_statuses.ref', param.string()),
    stage: equals('commit_statuses.stage', param.string()),
    name: equals('commit_statuses.name', param.string()),
    pipeline_id: equals('commit_statuses.pipeline_id', param.integer()),
  },
  orders: {
    id: byExpression(({ direction }) => [[statusId, direction], kind]),
    pipeline_id: byExpression(({ direction }) => [
      [sql.ref('commit_statuses.pipeline_id'), direction],
      [statusId, direction],
      kind,
    ]),
  },
  select: (db, { project, sha, all }) => {
    const reported = db
      .selectFrom('commit_statuses')
      .select(columns)
      .select(['target_url', 'description', sql<number>`0`.as('is_job')])
      .where('project_id', '=', project)
      .where('sha', '=', sha);
    const jobs = db
      .selectFrom('ci_jobs')
      .select(columns)
      .select([
        sql<string | null>`cast(null as text)`.as('target_url'),
        sql<string | null>`cast(null as text)`.as('description'),
        sql<number>`1`.as('is_job'),
      ])
      .where('pipeline_id', 'in', (eb) =>
        eb.selectFrom('pipelines').select('pipelines.id').where('project_id', '=', project).where('sha', '=', sha),
      );
    const statuses = db.selectFrom(reported.unionAll(jobs).as('commit_statuses')).selectAll('commit_statuses');
    return all ? statuses : statuses.where('commit_statuses.retried', '=', 0);
  },
});
