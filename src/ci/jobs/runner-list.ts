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

type Asked = BoundFilterOf<typeof scope>;

const ofSystem = (system: unknown, { runner }: Asked) => sql<SqlBool>`ci_jobs.runner_manager_id = (
  select m.id from runner_managers m where m.runner_id = ${runner} and m.system_id = ${system})`;

/** A machine may have run few of all jobs of its runner: these are looked up first. */
const system = driving(
  matches(param.string({ description: 'Of the machine that ran them' }), ofSystem, { blank: true }),
  {
    ordered: true,
    ids: ({ values: [name] }, asked: Asked) => sql`select ci_jobs.id as id from ci_jobs where ${ofSystem(name, asked)}`,
  },
);

/** What a runner has done, in projects where the caller is at least a Reporter. */
export const runnerJobs = list({
  id: 'ci_jobs.id',
  scope,
  filters: {
    system_id: system,
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
