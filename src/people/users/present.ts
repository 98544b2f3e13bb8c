import { hash } from 'node:crypto';
import type { User } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { avatarUrl } from '../avatars/public.ts';
import type { BasicUserEntity } from './schema.ts';

/** The columns that the basic view needs. */
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

const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('users').select(basicColumns).where('users.id', 'in', param.ids('ids')),
);

/** The basic view: `BasicUser` is its schema. */
export function presentBasicUser(user: BasicUserRow, externalUrl: string): BasicUserEntity {
  return {
    id: user.id,
    username: user.username,
    public_email: user.public_email,
    name: user.name,
    state: user.state,
    locked: isLocked(user),
    avatar_url: userAvatarUrl(user, externalUrl),
    web_url: `${externalUrl}/${user.username}`,
  };
}

/** The basic views of these users by number, in one query; unknown numbers are left out. */
export async function basicUsers(
  db: Reader,
  ids: Iterable<number | null | undefined>,
  externalUrl: string,
): Promise<Map<number, BasicUserEntity>> {
  const wanted = [...new Set(ids)].filter((id): id is number => id != null);
  if (wanted.length === 0) return new Map();
  const rows = await byIds.all(db, { ids: wanted });
  return new Map(rows.map((row) => [row.id, presentBasicUser(row, externalUrl)]));
}

/** Shut out for a while after too many wrong passwords. */
export function isLocked(user: { locked_until: number | null }, now = Date.now()): boolean {
  return user.locked_until !== null && user.locked_until > now;
}

/** The uploaded picture, else the one that Gravatar has for the address. */
export function userAvatarUrl(user: Pick<User, 'id' | 'email' | 'avatar'>, externalUrl: string): string {
  return avatarUrl(externalUrl, 'user', user.id, user.avatar) ?? gravatarUrl(user.email);
}

const mostDigests = 5000;
const digests = new Map<string, string>();

/** Gravatar's address of a picture: it knows people by a digest of their e-mail address. */
export function gravatarUrl(email: string, size = 80): string {
  let digest = digests.get(email);
  if (digest === undefined) {
    digest = hash('sha256', email.trim().toLowerCase());
    if (digests.size >= mostDigests) digests.clear();
    digests.set(email, digest);
  }
  return `https://www.gravatar.com/avatar/${digest}?s=${size}&d=identicon`;
}
