import { sql } from 'kysely';
import { openDatabase, type Writer } from '../../src/platform/database/database.ts';

/** What a place contains before its pipelines are seeded. */
export interface Place {
  readonly project: number;
  readonly runner: number;
  readonly sha: string;
  readonly firstUser: number;
}

export const jobsOfEach = 10;
const users = 50;
const minute = 60_000;
const atOnce = 10_000;

const numbers = (from: number, to: number) =>
  sql`with recursive n (i) as (select cast(${from} as bigint) union all select i + 1 from n where i < ${to})`;

/**
 * Most pipelines succeeded on `main`. Rare values are old, so that a list that reads from the newest finds them last.
 */
async function insertPipelines(trx: Writer, place: Place, from: number, to: number, count: number): Promise<void> {
  const { project, sha } = place;
  const firstUser = sql.lit(place.firstUser);
  const now = Date.now();
  const createdAt = sql`${now} - (${count} - i) * ${sql.lit(minute)}`;
  await sql`${numbers(from, to)} insert into pipelines (project_id, iid, sha, ref, tag, source, status, name, yaml_errors, user_id,
      locked, created_at, updated_at, started_at, finished_at)
    select ${project}, 100 + i, case when i % 20 = 0 then ${sha} else 'f000' || i end,
      case when i % 50 = 0 then 'v' || i when i % 2 = 0 then 'main' when i < 40 then 'old' else 'topic-' || (i % 500) end,
      case when i % 50 = 0 then 1 else 0 end,
      case when i % 10 = 9 then 'parent_pipeline' when i % 20 = 0 then 'schedule' when i < 30 then 'web' else 'push' end,
      case when i < 20 then 'running' when i < 25 then 'pending' when i % 9 = 0 then 'failed' when i % 31 = 0 then 'canceled'
        else 'success' end,
      case when i < 50 then 'Rare' when i % 7 = 0 then 'Nightly ' || (i % 100) end,
      case when i < 35 then 'jobs config should contain at least one visible job' end,
      case when i < 45 then ${firstUser} else ${firstUser} + 1 + (i * 7919) / 13 % ${sql.lit(users - 1)} end,
      0, ${createdAt}, ${createdAt} + (i * 31 % 600) * 1000, ${createdAt}, ${createdAt} + 30000
    from n`.execute(trx);
}

async function insertJobs(trx: Writer, place: Place, from: number, to: number): Promise<void> {
  const { project } = place;
  const runner = sql.lit(place.runner);
  const managers = sql`(select max(id) from runner_managers where runner_id = ${runner})`;
  const options = JSON.stringify({
    script: ['npm ci', 'npm test'],
    image: { name: 'node:24' },
    comment: 'x'.repeat(300),
  });
  await sql`with recursive k (j) as (select 0 union all select j + 1 from k where j < ${sql.lit(jobsOfEach - 1)})
    insert into ci_jobs (project_id, pipeline_id, kind, name, stage, stage_index, status, ref, sha, tag, options, retried,
      user_id, runner_id, runner_manager_id, created_at, updated_at, queued_at, started_at, finished_at)
    select p.project_id, p.id, case when j = 9 then 'bridge' else 'build' end, 'job ' || j,
      case when j < 5 then 'build' else 'test' end, j / 5,
      case when p.status in ('running', 'pending') and j < 2 then p.status when p.status = 'failed' and j = 8 then 'failed'
        when p.iid < 150 and j = 7 then 'manual' else 'success' end,
      p.ref, p.sha, p.tag, ${options}, case when j = 4 and p.iid % 5 = 0 then 1 else 0 end, p.user_id, case when j < 9 then ${runner} end,
      case when j < 9 then ${managers} - case when p.iid < 160 then 1 else 0 end end,
      p.created_at, p.updated_at, p.created_at, p.created_at + 1000, p.created_at + 20000
    from pipelines p cross join k
    where p.project_id = ${project} and p.iid between 100 + ${from} and 100 + ${to} order by p.id, j`.execute(trx);
}

/** One job in ten has an archive. */
async function insertArtifacts(trx: Writer, { project }: Place): Promise<void> {
  await sql`insert into job_artifacts (project_id, job_id, file_type, file_format, filename, storage_key, size, sha256, created_at)
    select project_id, id, 'archive', 'zip', 'artifacts.zip', 'seeded/' || id, 1000, 'none', created_at from ci_jobs
    where project_id = ${project} and name = 'job 3' and sha like 'f000%'`.execute(trx);
}

export async function seedJobs(where: { url?: string; file?: string }, place: Place, jobs: number): Promise<void> {
  const db = await openDatabase(where);
  const count = Math.floor(jobs / jobsOfEach);
  await db.write(async (trx) => {
    const manager = { runner_id: place.runner, created_at: 1, contacted_at: 1 };
    const managers = ['s_000000000001', 's_000000000002'].map((system_id) => ({ ...manager, system_id }));
    await trx.insertInto('runner_managers').values(managers).execute();
  });
  for (let from = 1; from <= count; from += atOnce) {
    const to = Math.min(from + atOnce - 1, count);
    await db.write(async (trx) => {
      await insertPipelines(trx, place, from, to, count);
      await insertJobs(trx, place, from, to);
    });
  }
  await db.write((trx) => insertArtifacts(trx, place));
  if (db.engine === 'postgres') await db.write((trx) => sql`analyze`.execute(trx));
  await db.close();
}
