import { sql } from 'kysely';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';

export interface EmailRow {
  readonly id: number;
  readonly email: string;
  readonly confirmed_at: number | null;
}

const same = (email: string) => sql<boolean>`lower(email) = lower(${email})`;

function emailsOf(db: Reader, user: number) {
  return db.selectFrom('emails').select(['id', 'email', 'confirmed_at']).where('user_id', '=', user);
}

export function listEmails(db: Reader, user: number, slice: Slice): Promise<{ rows: EmailRow[]; total: number }> {
  return fetchPage(db, emailsOf(db, user).orderBy('id'), slice);
}

export function findEmail(db: Reader, user: number, id: number): Promise<EmailRow | undefined> {
  return emailsOf(db, user).where('id', '=', id).executeTakeFirst();
}

export function emailOf(db: Reader, email: string): Promise<EmailRow> {
  return db.selectFrom('emails').select(['id', 'email', 'confirmed_at']).where(same(email)).executeTakeFirstOrThrow();
}

/** Whether an e-mail address is a primary or a confirmed secondary one of any user except `except`. */
export async function isEmailTaken(db: Reader, email: string, except = 0): Promise<boolean> {
  const found = await sql<{ one: number }>`
    select 1 as one from users where lower(email) = lower(${email}) and id <> ${except}
    union all
    select 1 as one from emails where lower(email) = lower(${email}) and user_id <> ${except} and confirmed_at is not null
    limit 1`.execute(db);
  return found.rows.length > 0;
}

/** Returns the confirmed e-mail addresses of a user in lower case. */
export async function confirmedEmails(db: Reader, user: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('emails')
    .select('email')
    .where('user_id', '=', user)
    .where('confirmed_at', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.email.toLowerCase()));
}

/**
 * Returns a user's e-mail address as it was entered, if it is theirs: one that the database compares as equal may be a
 * different mailbox.
 */
export async function ownAddress(
  db: Reader,
  user: Pick<User, 'id' | 'email'>,
  email: string,
): Promise<string | undefined> {
  const lower = email.toLowerCase();
  if (user.email.toLowerCase() === lower) return user.email;
  return (await confirmedEmails(db, user.id)).has(lower) ? email : undefined;
}

/** Locks an e-mail address until the transaction ends; it spans several tables, so no row can serve as the lock. */
export function lockEmail(trx: Writer, email: string): Promise<void> {
  return acquireLock(trx, `address ${email.toLowerCase()}`);
}

/**
 * Records an e-mail address as confirmed. Unconfirmed claims of other users are deleted; an address confirmed by
 * another user is a unique violation.
 */
export async function confirmEmail(
  { announce }: Pick<Services, 'announce'>,
  trx: Writer,
  user: number,
  email: string,
  at: number,
): Promise<void> {
  await lockEmail(trx, email);
  const own = await trx
    .selectFrom('emails')
    .select('id')
    .where(same(email))
    .where('user_id', '=', user)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  if (own) return;
  const claimed = await trx
    .updateTable('emails')
    .set({ confirmed_at: at })
    .where(same(email))
    .where('user_id', '=', user)
    .executeTakeFirst();
  if (Number(claimed.numUpdatedRows) === 0) {
    await trx.deleteFrom('emails').where(same(email)).where('confirmed_at', 'is', null).execute();
    await trx.insertInto('emails').values({ user_id: user, email, confirmed_at: at, created_at: at }).execute();
  }
  await announce(trx, 'email.confirmed', { userId: user, email });
}

export async function insertUnconfirmed(trx: Writer, user: number, email: string, at: number): Promise<void> {
  await trx.insertInto('emails').values({ user_id: user, email, confirmed_at: null, created_at: at }).execute();
}

export async function deleteEmailRow(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('emails').where('id', '=', id).execute();
}

/** Finds a user by primary e-mail address. */
export function userByEmail(db: Reader, email: string): Promise<User | undefined> {
  return db.selectFrom('users').selectAll().where(same(email)).executeTakeFirst();
}

/**
 * Finds the user waiting to confirm an e-mail address, and its spelling: a primary, a changed primary or a secondary
 * one.
 */
export async function userAwaitingConfirmation(
  db: Reader,
  email: string,
): Promise<{ readonly userId: number; readonly email: string } | undefined> {
  const first = db
    .selectFrom('users')
    .select(['id as userId', 'email'])
    .where(same(email))
    .where('confirmed_at', 'is', null);
  const next = db
    .selectFrom('users')
    .select(['id as userId', 'unconfirmed_email as email'])
    .where('unconfirmed_email', 'is not', null)
    .where(sql<boolean>`lower(unconfirmed_email) = lower(${email})`)
    .$narrowType<{ email: string }>();
  const further = db
    .selectFrom('emails')
    .select(['user_id as userId', 'email'])
    .where(same(email))
    .where('confirmed_at', 'is', null);
  return (await first.executeTakeFirst()) ?? (await next.executeTakeFirst()) ?? (await further.executeTakeFirst());
}

/** Whether a user has this secondary e-mail address, confirmed or not. */
export async function hasEmail(db: Reader, user: number, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('emails')
    .select('id')
    .where(same(email))
    .where('user_id', '=', user)
    .executeTakeFirst();
  return row !== undefined;
}

const byAddress = statement((db, param: Param<{ emails: readonly string[] }>) =>
  db
    .selectFrom('users')
    .select((eb) => ['users.id', 'users.username', eb.fn<string>('lower', ['users.email']).as('email')])
    .where((eb) => eb(eb.fn<string>('lower', ['users.email']), 'in', param.texts('emails')))
    .where('users.confirmed_at', 'is not', null)
    .unionAll(
      db
        .selectFrom('emails')
        .innerJoin('users', 'users.id', 'emails.user_id')
        .select((eb) => ['users.id', 'users.username', eb.fn<string>('lower', ['emails.email']).as('email')])
        .where((eb) => eb(eb.fn<string>('lower', ['emails.email']), 'in', param.texts('emails')))
        .where('emails.confirmed_at', 'is not', null),
    ),
);

/** Finds users by confirmed e-mail addresses in lower case. */
export function usersByAddress(db: Reader, emails: readonly string[]) {
  return byAddress.all(db, { emails });
}
