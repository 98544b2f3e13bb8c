import { type Expression, type Kysely, sql } from 'kysely';
import type { User } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { filterUsers, userQuestion } from './list-query.ts';
import { basicColumns } from './present.ts';

const profileColumns = [
  'id',
  'username',
  'name',
  'email',
  'public_email',
  'commit_email',
  'kind',
  'state',
  'admin',
  'auditor',
  'external',
  'private_profile',
  'can_create_group',
  'two_factor_enabled',
  'projects_limit',
  'locked_until',
  'confirmed_at',
  'created_by_id',
  'bot_project_id',
  'bot_namespace_id',
  'provisioned_by_group_id',
  'avatar',
  'bio',
  'location',
  'linkedin',
  'twitter',
  'discord',
  'github',
  'website_url',
  'organization',
  'job_title',
  'pronouns',
  'timezone',
  'note',
  'preferred_language',
  'theme_id',
  'color_scheme_id',
  'shared_runners_minutes_limit',
  'extra_shared_runners_minutes_limit',
  'sign_in_count',
  'current_sign_in_at',
  'last_sign_in_at',
  'current_sign_in_ip',
  'last_sign_in_ip',
  'last_activity_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof User)[];

/** What the larger views show of a user, with what they count and look up; no secret is among it. */
export interface ProfileRow extends Pick<User, (typeof profileColumns)[number]> {
  followers: number;
  following: number;
  is_followed: number;
  namespace_id: number | null;
}

/** Users as the larger views need them, for one viewer. */
function profiles(db: Kysely<Tables>, viewer: Expression<number>) {
  const from = db.selectFrom('users').select(profileColumns.map((column) => `users.${column}` as const));
  return from.select((eb) => [
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
    eb
      .selectFrom('follows')
      .select((count) => count.fn.countAll<number>().as('n'))
      .whereRef('followee_id', '=', 'users.id')
      .where('follower_id', '=', viewer)
      .$asScalar()
      .as('is_followed'),
    eb
      .selectFrom('namespaces')
      .select('namespaces.id')
      .whereRef('namespaces.owner_id', '=', 'users.id')
      .$asScalar()
      .as('namespace_id'),
  ]);
}

const profileById = statement((db, param: Param<{ id: number; viewer: number }>) =>
  profiles(db, param('viewer')).where('users.id', '=', param('id')),
);

export function findProfile(db: Reader, id: number, viewer: number): Promise<ProfileRow | undefined> {
  return profileById.first(db, { id, viewer });
}

/** Lists of users, as the larger views need them and as the basic one does. */
export const profileList = shapedList(userQuestion, (db, ask, engine) =>
  filterUsers(profiles(db, ask.viewer), ask, engine),
);
export const basicList = shapedList(userQuestion, (db, ask, engine) =>
  filterUsers(
    db
      .selectFrom('users')
      .select([...basicColumns, 'users.kind', 'users.bot_project_id', 'users.bot_namespace_id', 'users.updated_at']),
    ask,
    engine,
  ),
);

const identities = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('identities')
    .select(['user_id', 'provider', 'extern_uid'])
    .where('user_id', 'in', param.ids('ids'))
    .orderBy('id'),
);

export type IdentityRow = { user_id: number; provider: string; extern_uid: string };

/** The identities of these users, by user. */
export async function identitiesOf(db: Reader, ids: readonly number[]): Promise<Map<number, IdentityRow[]>> {
  return Map.groupBy(await identities.all(db, { ids }), (row) => row.user_id);
}

const highest = statement((db, param: Param<{ user: number; now: number }>) =>
  db
    .selectFrom('members')
    .select((eb) => eb.fn.max<number | null>('access_level').as('level'))
    .where('user_id', '=', param('user'))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', param('now'))])),
);

/** The highest role that a user holds anywhere; 0 for none. */
export async function highestRole(db: Reader, user: number): Promise<number> {
  return (await highest.first(db, { user, now: Date.now() }))?.level ?? 0;
}

/** Is the address someone's own: the first one, or a confirmed further one? `except` leaves one user out. */
export async function isEmailTaken(db: Reader, email: string, except = 0): Promise<boolean> {
  const found = await sql<{ one: number }>`
    select 1 as one from users where lower(email) = lower(${email}) and id <> ${except}
    union all
    select 1 as one from emails where lower(email) = lower(${email}) and user_id <> ${except} and confirmed_at is not null
    limit 1`.execute(db);
  return found.rows.length > 0;
}

export async function isUsernameTaken(db: Reader, username: string, except = 0): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where(sql`lower(username)`, '=', sql`lower(${username})`)
    .where('id', '<>', except)
    .executeTakeFirst();
  return found !== undefined;
}

/** The confirmed addresses of a user, in lower case. */
export async function confirmedEmails(db: Reader, user: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('emails')
    .select('email')
    .where('user_id', '=', user)
    .where('confirmed_at', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.email.toLowerCase()));
}
