import { type Insertable, sql, type Updateable } from 'kysely';
import type { Services } from '../../../access/services.ts';
import type { NewUser, User, UsersTable } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { confirmEmail } from '../emails/store.ts';

export type NewAccount = Omit<Insertable<UsersTable>, 'created_at' | 'updated_at'>;
export type UserColumns = Updateable<UsersTable>;

/** Initial columns of a new account. */
export const blankAccount = {
  public_email: null,
  commit_email: null,
  unconfirmed_email: null,
  password_digest: null,
  password_expires_at: null,
  locked_until: null,
  two_factor_grace_started_at: null,
  accepted_terms: null,
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

type Announcing = Pick<Services, 'announce'>;

/** Inserts a user. Related records, such as the namespace, are added by event handlers. */
export async function insertUser({ announce }: Announcing, trx: Writer, row: NewAccount): Promise<User> {
  const now = Date.now();
  const added: NewUser = { ...row, created_at: now, updated_at: now };
  const user = await trx.insertInto('users').values(added).returningAll().executeTakeFirstOrThrow();
  if (user.kind === 'human' && user.confirmed_at !== null) {
    await confirmEmail({ announce }, trx, user.id, user.email, user.confirmed_at);
  }
  await announce(trx, 'user.created', { user });
  return user;
}

/** Updates the columns of a user. */
export async function changeUser(
  { announce }: Announcing,
  trx: Writer,
  before: User,
  columns: UserColumns,
): Promise<User> {
  const user = await trx
    .updateTable('users')
    .set({ ...columns, updated_at: Date.now() })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const names = Object.keys(columns) as (keyof User)[];
  const changed = new Set(names.filter((name) => user[name] !== before[name]));
  if (changed.size > 0) await announce(trx, 'user.updated', { user, before, changed });
  return user;
}

/** Records a sign-in with a browser. */
export async function recordSignIn(trx: Writer, id: number, ip: string, now: number): Promise<void> {
  await trx
    .updateTable('users')
    .set((eb) => ({
      sign_in_count: eb('sign_in_count', '+', 1),
      last_sign_in_at: eb.ref('current_sign_in_at'),
      last_sign_in_ip: eb.ref('current_sign_in_ip'),
      current_sign_in_at: now,
      current_sign_in_ip: ip,
    }))
    .where('id', '=', id)
    .execute();
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
