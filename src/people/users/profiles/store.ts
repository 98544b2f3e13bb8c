import type { Expression, Kysely } from 'kysely';
import type { User } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { Tables } from '../../../platform/database/tables.ts';

/** Columns of the basic view. */
export const basicColumns = [
  'users.id',
  'users.username',
  'users.name',
  'users.email',
  'users.public_email',
  'users.state',
  'users.locked_until',
  'users.avatar',
] as const;

export type BasicUserRow = Pick<
  User,
  'id' | 'username' | 'name' | 'email' | 'public_email' | 'state' | 'locked_until' | 'avatar'
>;

const basicByIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('users').select(basicColumns).where('users.id', 'in', param.ids('ids')),
);

export function findBasicUsers(db: Reader, ids: readonly number[]): Promise<BasicUserRow[]> {
  return basicByIds.all(db, { ids });
}

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

/** Columns of the larger views, including counts and lookups; contains no secrets. */
export interface ProfileRow extends Pick<User, (typeof profileColumns)[number]> {
  followers: number;
  following: number;
  is_followed: number;
  namespace_id: number | null;
}

/** Query for the columns of the larger views for a viewer. */
export function profiles(db: Kysely<Tables>, viewer: Expression<number>) {
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

const highest = statement((db, param: Param<{ user: number; now: number }>) =>
  db
    .selectFrom('members')
    .select((eb) => eb.fn.max<number | null>('access_level').as('level'))
    .where('user_id', '=', param('user'))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', param('now'))])),
);

/** Returns the highest role that a user holds anywhere; 0 for none. */
export async function highestRole(db: Reader, user: number): Promise<number> {
  return (await highest.first(db, { user, now: Date.now() }))?.level ?? 0;
}
