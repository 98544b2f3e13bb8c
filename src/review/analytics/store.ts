import { type RawBuilder, sql } from 'kysely';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import { isProject } from '../../access/project-or-group.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type Bucket, dayLength, type MetricQuestion } from './rules.ts';

/** Values by index of the interval; intervals without data are missing. */
type Numbers = Map<number, number>;

/**
 * Expression for the index of the interval of a time: daily intervals have a fixed length, and there are few others.
 */
function bucketIndex(at: RawBuilder<unknown>, { interval, buckets }: MetricQuestion): RawBuilder<number> {
  if (interval === 'daily') return sql`(${at} - ${sql.lit(buckets[0]?.from ?? 0)}) / ${sql.lit(dayLength)}`;
  const ends = buckets
    .slice(0, -1)
    .map(({ until }, place) => sql`when ${at} < ${sql.lit(until)} then ${sql.lit(place)}`);
  if (ends.length === 0) return sql`0`;
  return sql`case ${sql.join(ends, sql` `)} else ${sql.lit(ends.length)} end`;
}

const spanOf = (buckets: readonly Bucket[]) => ({ from: buckets[0]?.from ?? 0, until: buckets.at(-1)?.until ?? 0 });

/** Condition for the rows of a project, or of all projects of a group and its subgroups. */
const within = (column: string, place: ProjectOrGroup) =>
  isProject(place)
    ? sql`${sql.ref(column)} = ${place.project.id}`
    : sql`${sql.ref(column)} in (select projects.id from projects
        join namespace_ancestors a on a.namespace_id = projects.namespace_id where a.ancestor_id = ${place.group.id})`;

const ofTiers = (tiers: readonly string[]) =>
  sql`d.environment_id in (select e.id from environments e
    where e.project_id = d.project_id and e.tier in (${sql.join([...tiers])}))`;

async function numbers(
  db: Reader,
  rows: RawBuilder<{ place: number | string; value: number | string }>,
): Promise<Numbers> {
  const found = await rows.execute(db);
  return new Map(found.rows.map(({ place, value }) => [Number(place), Number(value)]));
}

/** Median of the values in each interval. */
const medians = (values: RawBuilder<unknown>) =>
  sql<{ place: number; value: number }>`
    select place, avg(value) as value from (
      select place, value, row_number() over (partition by place order by value) as standing,
        count(*) over (partition by place) as total from (${values}) as valued) as ranked
    where standing in ((total + 1) / 2, (total + 2) / 2) group by place`;

/** Number of successful deployments. */
export function deployments(db: Reader, place: ProjectOrGroup, question: MetricQuestion): Promise<Numbers> {
  const { from, until } = spanOf(question.buckets);
  return numbers(
    db,
    sql`select ${bucketIndex(sql`d.finished_at`, question)} as place, count(*) as value from deployments d
      where ${within('d.project_id', place)} and d.finished_at >= ${from} and d.finished_at < ${until}
        and d.status = 'success' and ${ofTiers(question.tiers)} group by 1`,
  );
}

/** Seconds from merge to deployment. */
export function leadTimes(db: Reader, place: ProjectOrGroup, question: MetricQuestion): Promise<Numbers> {
  const { from, until } = spanOf(question.buckets);
  return numbers(
    db,
    medians(sql`select ${bucketIndex(sql`d.finished_at`, question)} as place,
        (d.finished_at - r.merged_at) / 1000.0 as value
      from deployments d join deployment_merge_requests dm on dm.deployment_id = d.id
        join merge_requests r on r.id = dm.merge_request_id
      where ${within('d.project_id', place)} and d.finished_at >= ${from} and d.finished_at < ${until}
        and d.status = 'success' and r.merged_at is not null and ${ofTiers(question.tiers)}`),
  );
}

const incidentsOf = (place: ProjectOrGroup) =>
  sql`issues i where ${within('i.project_id', place)} and i.issue_type = 'incident'`;

/** Number of created incidents. */
export function incidents(db: Reader, place: ProjectOrGroup, question: MetricQuestion): Promise<Numbers> {
  const { from, until } = spanOf(question.buckets);
  return numbers(
    db,
    sql`select ${bucketIndex(sql`i.created_at`, question)} as place, count(*) as value from ${incidentsOf(place)}
      and i.created_at >= ${from} and i.created_at < ${until} group by 1`,
  );
}

/** Seconds from creation to closing of incidents. */
export function restoreTimes(db: Reader, place: ProjectOrGroup, question: MetricQuestion): Promise<Numbers> {
  const { from, until } = spanOf(question.buckets);
  return numbers(
    db,
    medians(sql`select ${bucketIndex(sql`i.closed_at`, question)} as place,
        (i.closed_at - i.created_at) / 1000.0 as value from ${incidentsOf(place)}
      and i.state = 'closed' and i.closed_at >= ${from} and i.closed_at < ${until}`),
  );
}

/** Number of members added to a group, its subgroups and projects, up to a limit. */
export async function membersSince(db: Reader, groupId: number, since: number, limit: number): Promise<number> {
  const { rows } = await sql<{ total: number | string }>`select count(*) as total from (
    select m.id from members m join namespace_ancestors a on a.namespace_id = m.namespace_id
      where a.ancestor_id = ${groupId} and m.created_at >= ${since} limit ${limit}) as joined`.execute(db);
  return Number(rows[0]?.total ?? 0);
}
