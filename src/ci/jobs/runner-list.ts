import { type SqlBool, sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import { memberProjectIds } from '../../access/visibility/visible.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { driving } from '../../platform/list-kit/filter.ts';
import { equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { statuses } from '../states/public.ts';

interface RunnerScope {
  readonly runner: number;
  /** Restricts the list to one manager of the runner. */
  readonly manager?: number | undefined;
  /** Restricts the list to projects of this user; absent for administrators. */
  readonly user?: number | undefined;
  readonly now: number;
}

const scope = boundProperties<RunnerScope>()({ values: ['runner', 'manager', 'user', 'now'] });

/** Jobs of a runner, in projects where the caller has at least the Reporter role. */
export const runnerJobs = list({
  id: 'ci_jobs.id',
  scope,
  filters: {
    status: driving(equals('ci_jobs.status', param.oneOf(statuses)), {
      ordered: true,
      ids: ({ values: [status] }, { runner }: BoundFilterOf<typeof scope>) =>
        sql`select ci_jobs.id as id from ci_jobs where ci_jobs.runner_id = ${runner} and ci_jobs.status = ${status}`,
    }),
  },
  orders: { id: byId },
  lateRows: true,
  select: (db, { runner, manager, user, now }) => {
    const jobs = db.selectFrom('ci_jobs').selectAll('ci_jobs');
    // Filter by the manager only: with the runner as well, PostgreSQL would walk all jobs of the runner.
    const query = manager
      ? jobs.where('ci_jobs.runner_manager_id', '=', manager)
      : jobs.where('ci_jobs.runner_id', '=', runner);
    if (!user) return query;
    return query.where(sql<SqlBool>`ci_jobs.project_id in (${memberProjectIds(user, Role.reporter, now)})`);
  },
});
