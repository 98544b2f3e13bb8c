import { sql } from 'kysely';
import { profiles } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { CiJobRow } from './tables.ts';

const known = (ids: readonly (number | null)[]) => [...new Set(ids)].filter((id) => id !== null);

/** Nobody in particular looks at a job: whom they follow is not shown. */
const nobody = sql.lit(0);

/** Who runs these jobs. */
export async function usersOf(db: Reader, jobs: readonly CiJobRow[]) {
  const ids = known(jobs.map(({ user_id }) => user_id));
  if (ids.length === 0) return [];
  return profiles(db, nobody).where('users.id', 'in', ids).execute();
}

/** The runners that took these jobs. */
export async function runnersOf(db: Reader, jobs: readonly CiJobRow[]) {
  const ids = known(jobs.map(({ runner_id }) => runner_id));
  if (ids.length === 0) return [];
  return db.selectFrom('runners').selectAll().where('id', 'in', ids).execute();
}

/** The machines on which these jobs ran. */
export async function managersOf(db: Reader, jobs: readonly CiJobRow[]) {
  const ids = known(jobs.map(({ runner_manager_id }) => runner_manager_id));
  if (ids.length === 0) return [];
  return db.selectFrom('runner_managers').selectAll().where('id', 'in', ids).execute();
}

/** The files that these jobs have left. */
export async function artifactsOf(db: Reader, jobs: readonly CiJobRow[]) {
  if (jobs.length === 0) return [];
  return db
    .selectFrom('job_artifacts')
    .selectAll()
    .where(
      'job_id',
      'in',
      jobs.map(({ id }) => id),
    )
    .orderBy('id')
    .execute();
}
