import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';

interface Today {
  readonly today: Expression<string>;
}

const active = (which: RawBuilder<SqlBool>): RawBuilder<{ id: number }> =>
  sql`select m.id from milestones m where m.state = 'active' and ${which}`;

/** As in the index of a project's milestones, which has those without a due date last. */
const isDated = sql<SqlBool>`(case when o.due_date is null then 1 else 0 end) = 0`;

/** The active milestone of each project or group that is due next. */
export const upcomingMilestones = ({ today }: Today) =>
  active(sql`m.due_date > ${today} and not exists (
    select 1 from milestones o where o.state = 'active' and ${isDated} and o.due_date > ${today} and o.due_date < m.due_date
      and (o.project_id = m.project_id or o.namespace_id = m.namespace_id))`);

/** Active milestones that have started. */
export const startedMilestones = ({ today }: Today) => active(sql`m.start_date <= ${today}`);
