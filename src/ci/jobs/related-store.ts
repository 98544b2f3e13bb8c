import { sql } from 'kysely';
import { profiles } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { CiJobRow } from './tables.ts';

const distinctIds = (ids: readonly (number | null)[]) => [...new Set(ids)].filter((id) => id !== null);

/** No viewer: the profiles do not show whom the caller follows. */
const noViewer = sql.lit(0);

/** The users who run these jobs. */
export async function usersOf(db: Reader, jobs: readonly CiJobRow[]) {
  const ids = distinctIds(jobs.map(({ user_id }) => user_id));
  if (ids.length === 0) return [];
  return profiles(db, noViewer).where('users.id', 'in', ids).execute();
}

/** The runners of these jobs. */
export async function runnersOf(db: Reader, jobs: readonly CiJobRow[]) {
  const ids = distinctIds(jobs.map(({ runner_id }) => runner_id));
  if (ids.length === 0) return [];
  return db.selectFrom('runners').selectAll().where('id', 'in', ids).execute();
}

/** The runner managers of these jobs. */
export async function managersOf(db: Reader, jobs: readonly CiJobRow[]) {
  const ids = distinctIds(jobs.map(({ runner_manager_id }) => runner_manager_id));
  if (ids.length === 0) return [];
  return db.selectFrom('runner_managers').selectAll().where('id', 'in', ids).execute();
}

/** The artifacts of these jobs. */
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
