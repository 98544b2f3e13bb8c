import { sql } from 'kysely';
import { type BoundFilterOf, form } from '../../../platform/database/form.ts';
import { param } from '../../../platform/http/params.ts';
import { compare, equals, matches } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn, byExpression, byId } from '../../../platform/list-kit/order.ts';
import { deploymentStatuses } from '../tables.ts';

const scope = form<{ readonly project: number }>()({ values: ['project'] });

/** The deployments of a project. */
export const deploymentList = list({
  id: 'deployments.id',
  scope,
  filters: {
    updated_after: compare('deployments.updated_at', '>=', param.dateTime()),
    updated_before: compare('deployments.updated_at', '<=', param.dateTime()),
    finished_after: compare('deployments.finished_at', '>=', param.dateTime()),
    finished_before: compare('deployments.finished_at', '<=', param.dateTime()),
    environment: matches(
      param.string({ description: 'Name of the environment' }),
      (name, { project }: BoundFilterOf<typeof scope>) =>
        sql`deployments.environment_id = (select environments.id from environments
          where environments.project_id = ${project} and environments.name = ${name})`,
    ),
    sha: equals('deployments.sha', param.string({ description: 'The commit that was deployed' })),
    job_id: equals('deployments.job_id', param.integer({ description: 'The job that deploys' })),
    status: equals('deployments.status', param.oneOf(deploymentStatuses)),
  },
  orders: {
    id: byId,
    iid: byColumn('deployments.iid', 'integer'),
    created_at: byColumn('deployments.created_at', 'integer'),
    updated_at: byColumn('deployments.updated_at', 'integer'),
    finished_at: byExpression(({ direction }) => [[sql.ref('deployments.finished_at'), direction]]),
    ref: byColumn('deployments.ref', 'text'),
  },
  select: (db, { project }) =>
    db.selectFrom('deployments').selectAll('deployments').where('deployments.project_id', '=', project),
});
