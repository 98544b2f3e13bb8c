import { sql } from 'kysely';
import type { Writer } from '../platform/database/database.ts';
import { takeTurn } from '../platform/database/locks.ts';
import { insertNamespace } from './addresses.ts';
import { acceptInvitations } from './invitations.ts';
import type { NewUser, User } from './tables.ts';

/** Adds a user and, unless it is a bot, the namespace of their own projects. */
export async function insertUser(trx: Writer, row: Omit<NewUser, 'created_at' | 'updated_at'>): Promise<User> {
  const now = Date.now();
  const user = await trx
    .insertInto('users')
    .values({ ...row, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (user.kind !== 'human') return user;
  if (user.confirmed_at !== null) await confirmEmail(trx, user.id, user.email, user.confirmed_at);
  await insertNamespace(trx, {
    kind: 'user',
    owner_id: user.id,
    parent_id: null,
    name: user.name,
    path: user.username,
    visibility: 20,
    avatar: null,
    runners_token: null,
    marked_for_deletion_at: null,
    marked_by_id: null,
    created_at: now,
    updated_at: now,
  });
  return user;
}

/** Keeps an address as it is until the transaction ends: no one row stands for what is in several tables. */
export function holdEmail(trx: Writer, email: string): Promise<void> {
  return takeTurn(trx, `address ${email.toLowerCase()}`);
}

/**
 * Records an address as a user's own. Whoever claimed it without ever confirming loses it; one that someone else has
 * confirmed breaks the unique rule.
 */
export async function confirmEmail(trx: Writer, user: number, email: string, at: number): Promise<void> {
  await holdEmail(trx, email);
  const same = sql<boolean>`lower(email) = lower(${email})`;
  const own = await trx
    .selectFrom('emails')
    .select('id')
    .where(same)
    .where('user_id', '=', user)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  if (own) return;
  await trx.deleteFrom('emails').where(same).where('confirmed_at', 'is', null).execute();
  await trx.insertInto('emails').values({ user_id: user, email, confirmed_at: at, created_at: at }).execute();
  await acceptInvitations(trx, user, email);
}

/** The columns a new account has when nothing else is said. */
export const blankAccount = {
  public_email: null,
  commit_email: null,
  unconfirmed_email: null,
  password_digest: null,
  password_expires_at: null,
  locked_until: null,
  confirmed_at: null,
  created_by_id: null,
  bot_project_id: null,
  bot_namespace_id: null,
  provisioned_by_group_id: null,
  avatar: null,
  job_title: null,
  pronouns: null,
  timezone: null,
  note: null,
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  current_sign_in_at: null,
  last_sign_in_at: null,
  current_sign_in_ip: null,
  last_sign_in_ip: null,
  last_activity_at: null,
} as const;

export interface NewToken {
  readonly userId: number;
  readonly name: string;
  readonly description?: string | null;
  readonly digest: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number | null;
  readonly impersonation?: boolean;
  readonly familyId?: number | null;
}

/** Adds a token, known from then on by its digest alone. */
export async function insertToken(trx: Writer, token: NewToken): Promise<number> {
  const { id } = await trx
    .insertInto('access_tokens')
    .values({
      user_id: token.userId,
      name: token.name,
      description: token.description ?? null,
      digest: token.digest,
      scopes: JSON.stringify(token.scopes),
      impersonation: token.impersonation ? 1 : 0,
      expires_at: token.expiresAt,
      last_used_at: null,
      family_id: token.familyId ?? null,
      created_at: Date.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
