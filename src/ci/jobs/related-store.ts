import { basicColumns } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { CiJobRow } from './tables.ts';

const known = (ids: readonly (number | null)[]) => [...new Set(ids)].filter((id) => id !== null);

const profileColumns = [
  'bio',
  'location',
  'linkedin',
  'twitter',
  'discord',
  'website_url',
  'github',
  'job_title',
  'pronouns',
  'organization',
  'kind',
  'private_profile',
  'timezone',
  'created_at',
] as const;

/** Who runs these jobs. */
export async function usersOf(db: Reader, jobs: readonly CiJobRow[]) {
  const ids = known(jobs.map(({ user_id }) => user_id));
  if (ids.length === 0) return [];
  return db
    .selectFrom('users')
    .select([...basicColumns, ...profileColumns])
    .select((eb) => [
      eb
        .selectFrom('follows')
        .select((count) => count.fn.countAll<number>().as('n'))
        .whereRef('followee_id', '=', 'users.id')
        .$asScalar()
        .as('followers'),
      eb
        .selectFrom('follows')
        .select((count) => count.fn.countAll<number>().as('n'))
        .whereRef('follower_id', '=', 'users.id')
        .$asScalar()
        .as('following'),
    ])
    .where('id', 'in', ids)
    .execute();
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
