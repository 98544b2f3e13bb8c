import { type SqlBool, sql } from 'kysely';
import { Role } from '../../access/roles.ts';
import { memberProjectIds } from '../../access/visibility/visible.ts';
import { type BoundFilterOf, form } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { driving } from '../../platform/list-kit/filter.ts';
import { equals, matches } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { statuses } from '../states/public.ts';

interface RunnerScope {
  readonly runner: number;
  /** Whose projects are shown; absent for whoever sees all. */
  readonly user?: number | undefined;
  readonly now: number;
}

const scope = form<RunnerScope>()({ values: ['runner', 'user', 'now'] });

/** What a runner has done, in projects where the caller is at least a Reporter. */
export const runnerJobs = list({
  id: 'ci_jobs.id',
  scope,
  filters: {
    system_id: matches(
      param.string({ description: 'Of the machine that ran them' }),
      (system, { runner }: BoundFilterOf<typeof scope>) => sql<SqlBool>`ci_jobs.runner_manager_id = (
        select m.id from runner_managers m where m.runner_id = ${runner} and m.system_id = ${system})`,
      { blank: true },
    ),
    status: driving(equals('ci_jobs.status', param.oneOf(statuses)), { scoped: true, ordered: true }),
  },
  orders: { id: byId },
  lateRows: true,
  select: (db, { runner, user, now }) => {
    const query = db.selectFrom('ci_jobs').selectAll('ci_jobs').where('ci_jobs.runner_id', '=', runner);
    if (!user) return query;
    return query.where(sql<SqlBool>`ci_jobs.project_id in (${memberProjectIds(user, Role.reporter, now)})`);
  },
});
