import { type SqlBool, sql } from 'kysely';
import type { Bound } from '../../../platform/database/bound.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { param } from '../../../platform/http/params.ts';
import { driving } from '../../../platform/list-kit/filter.ts';
import { compare, equals, matches } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn, byExpression, byId } from '../../../platform/list-kit/order.ts';
import { deploymentStatuses } from '../tables.ts';

const scope = boundProperties<{ readonly project: number }>()({ values: ['project'] });
type Scope = BoundFilterOf<typeof scope>;

/** An index returns the rows in scope for each value in ID order. */
const indexed = { scoped: true, ordered: true } as const;
const ranged = { scoped: true } as const;

const inEnvironment = (name: Bound<string>, { project }: Scope) =>
  sql<SqlBool>`deployments.environment_id = (select environments.id from environments
    where environments.project_id = ${project} and environments.name = ${name})`;

/** The deployment list of a project. */
export const deploymentList = list({
  id: 'deployments.id',
  scope,
  filters: {
    updated_after: driving(compare('deployments.updated_at', '>=', param.dateTime()), ranged),
    updated_before: driving(compare('deployments.updated_at', '<=', param.dateTime()), ranged),
    finished_after: driving(compare('deployments.finished_at', '>=', param.dateTime()), ranged),
    finished_before: driving(compare('deployments.finished_at', '<=', param.dateTime()), ranged),
    environment: driving(matches(param.string({ description: 'Name of the environment' }), inEnvironment), {
      // Omits the project, because SQLite would rate its index as good as that of the environment.
      ids: ({ values: [name] }, ask, _, { status }) =>
        sql`select deployments.id from deployments where ${inEnvironment(name as Bound<string>, ask)}
          and ${status ? sql`deployments.status = ${status.values[0]}` : sql`1 = 1`}`,
      scoped: true,
      counts: true,
      complete: () => true,
      takesIn: ['status'],
    }),
    sha: driving(equals('deployments.sha', param.string({ description: 'SHA of the deployed commit' })), indexed),
    job_id: equals('deployments.job_id', param.integer({ description: 'ID of the deployment job' })),
    status: driving(equals('deployments.status', param.oneOf(deploymentStatuses)), indexed),
  },
  orders: {
    id: byId,
    iid: byColumn('deployments.iid', 'integer'),
    created_at: byColumn('deployments.created_at', 'integer'),
    updated_at: byColumn('deployments.updated_at', 'integer'),
    finished_at: byExpression(({ direction }) => [[sql.ref('deployments.finished_at'), direction]]),
    ref: byColumn('deployments.ref', 'text'),
  },
  lateRows: true,
  select: (db, { project }) =>
    db.selectFrom('deployments').selectAll('deployments').where('deployments.project_id', '=', project),
});
