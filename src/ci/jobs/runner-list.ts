import { type SqlBool, sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import { memberProjectIds } from '../../access/visibility/visible.ts';
import { type BoundFilterOf, form } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { driving } from '../../platform/list-kit/filter.ts';
import { equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { statuses } from '../states/public.ts';

interface RunnerScope {
  readonly runner: number;
  /** One of its machines. */
  readonly manager?: number | undefined;
  /** Whose projects are shown; absent for whoever sees all. */
  readonly user?: number | undefined;
  readonly now: number;
}

const scope = form<RunnerScope>()({ values: ['runner', 'manager', 'user', 'now'] });

/** What a runner has done, in projects where the caller is at least a Reporter. */
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
    // By the machine alone: with the runner beside it, PostgreSQL would walk all that the runner has done.
    const query = manager
      ? jobs.where('ci_jobs.runner_manager_id', '=', manager)
      : jobs.where('ci_jobs.runner_id', '=', runner);
    if (!user) return query;
    return query.where(sql<SqlBool>`ci_jobs.project_id in (${memberProjectIds(user, Role.reporter, now)})`);
  },
});
