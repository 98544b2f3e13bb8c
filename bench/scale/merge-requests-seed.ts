import { sql } from 'kysely';
import { type Database, openDatabase, type Writer } from '../../src/platform/database/database.ts';

/** What a place contains before its merge requests are seeded; IDs are consecutive. */
export interface Place {
  readonly project: number;
  readonly firstLabel: number;
  readonly firstMilestone: number;
  readonly firstUser: number;
}

export const counts = { labels: 40, milestones: 30, users: 50, environments: 5 } as const;

const minute = 60_000;

/** Inserts merge requests: a third of them open, a quarter with a milestone, one in nine a draft. */
async function insertRequests(trx: Writer, place: Place, count: number): Promise<void> {
  const { project, firstMilestone, firstUser } = place;
  const now = Date.now();
  const user = (salt: number) => sql`(${firstUser} + (i * 7919 + ${sql.lit(salt)}) / 13 % ${sql.lit(counts.users)})`;
  await sql`with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${count})
    insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, title, description,
      draft, state, merge_status, author_id, merge_user_id, merged_at, closed_at, milestone_id, milestone_due_date,
      label_priority, upvotes, prepared_at, created_at, updated_at, refs_cleaned)
    select i, ${project}, ${project}, 'topic-' || i, case when i % 20 = 0 then 'stable' else 'main' end,
      case when i % 9 = 0 then 'Draft: ' else '' end || 'Change number' || i || ' of ' || (i % 997),
      'What it is about: ' || (i % 311), case when i % 9 = 0 then 1 else 0 end,
      case i % 3 when 0 then 'opened' when 1 then 'merged' else 'closed' end, 'can_be_merged', ${user(1)},
      case when i % 3 = 1 then ${user(2)} end, case when i % 3 = 1 then ${now} - i * ${sql.lit(minute)} end,
      case when i % 3 = 2 then ${now} - i * ${sql.lit(minute)} end,
      case when i % 4 = 0 then ${firstMilestone} + i / 4 % ${sql.lit(counts.milestones)} end,
      case when i % 4 = 0 then '2026-01-' || (10 + i / 4 % 20) end, case when i % 8 = 0 then i / 8 % 10 end, i % 200,
      ${now}, ${now} - i * ${sql.lit(minute)}, ${now} - (i * 31 % ${sql.lit(count)}) * ${sql.lit(minute)}, 1
    from n`.execute(trx);
}

/** Inserts labels, assignees, reviewers, reactions and deployments of a project's merge requests. */
async function insertAround(trx: Writer, place: Place): Promise<void> {
  const { project, firstLabel, firstUser } = place;
  const of = sql`from merge_requests where project_id = ${project}`;
  const user = (step: number) => sql`${firstUser} + (iid * 104729) / ${sql.lit(step)} % ${sql.lit(counts.users)}`;
  await sql`insert into merge_request_assignees (merge_request_id, user_id)
    select id, ${user(3)} ${of} and iid % 4 = 0`.execute(trx);
  await sql`insert into merge_request_reviewers (merge_request_id, user_id, created_at)
    select id, ${user(5)}, 1 ${of} and iid % 5 = 0`.execute(trx);
  await sql`insert into merge_request_approvals (merge_request_id, user_id, created_at)
    select id, ${user(7)}, 1 ${of} and iid % 6 = 0`.execute(trx);
  for (const step of [1, 2]) {
    await sql`insert into merge_request_labels (merge_request_id, label_id)
      select id, ${firstLabel} + (iid / 2 + ${sql.lit(step)}) % ${sql.lit(counts.labels)} ${of} and iid % 2 = 0`.execute(
      trx,
    );
  }
  await sql`insert into award_emoji (awardable_type, awardable_id, project_id, user_id, name, created_at, updated_at)
    select 'MergeRequest', id, project_id, 1, case when iid % 2 = 0 then 'rocket' else 'thumbsup' end, 1, 1 ${of}
    and iid % 11 = 0`.execute(trx);
}

/** Each merged one was deployed once, together with nineteen others. */
async function insertDeployments(db: Database, trx: Writer, { project }: Place): Promise<void> {
  const now = Date.now();
  const environments = await trx
    .insertInto('environments')
    .values(
      Array.from({ length: counts.environments }, (_, n) => ({
        project_id: project,
        name: `place${n}`,
        slug: `place${n}`,
        tier: 'other',
        state: 'available',
        auto_stop_setting: 'always',
        created_at: 1,
        updated_at: 1,
      })),
    )
    .returning('id')
    .execute();
  const first = Math.min(...environments.map(({ id }) => id));
  await sql`insert into deployments (project_id, iid, environment_id, ref, sha, status, tag, created_at, updated_at, finished_at)
    select project_id, min(iid), ${first} + min(iid) / 60 % ${sql.lit(counts.environments)}, 'main', 'none', 'success', 0, 1, 1,
      ${now} - min(iid) * ${sql.lit(minute)}
    from merge_requests where project_id = ${project} and state = 'merged' group by project_id, iid / 60`.execute(trx);
  // Without statistics, PostgreSQL takes the tables for empty and uses a nested loop over all rows.
  if (db.engine === 'postgres') await sql`analyze merge_requests, deployments`.execute(trx);
  await sql`insert into deployment_merge_requests (deployment_id, merge_request_id)
    select d.id, m.id from merge_requests m
    join (select id, iid / 60 as part from deployments where project_id = ${project}) d on d.part = m.iid / 60
    where m.project_id = ${project} and m.state = 'merged'`.execute(trx);
}

export async function seedRequests(
  where: { url?: string; file?: string },
  place: Place,
  requests: number,
): Promise<void> {
  const db = await openDatabase(where);
  await db.write(async (trx) => {
    await insertRequests(trx, place, requests);
    await insertAround(trx, place);
    await insertDeployments(db, trx, place);
  });
  if (db.engine === 'postgres') await db.write((trx) => sql`analyze`.execute(trx));
  await db.close();
}
