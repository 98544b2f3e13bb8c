import { sql } from 'kysely';
import { confirmEmail, holdEmail } from '../../access/accounts.ts';
import type { User } from '../../access/tables.ts';
import type { Database, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { form } from '../../platform/database/form.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import { BadRequest, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pagination.ts';
import { instantOrNull } from '../../platform/http/schema.ts';
import { emailProblems } from './rules.ts';
import { isEmailTaken } from './store.ts';

interface EmailRow {
  readonly id: number;
  readonly email: string;
  readonly confirmed_at: number | null;
}

const present = ({ id, email, confirmed_at }: EmailRow) => ({ id, email, confirmed_at: instantOrNull(confirmed_at) });

const emailList = shapedList(form<{ user: number; id?: number }>()({ values: ['user', 'id'] }), (db, { user, id }) => {
  const query = db
    .selectFrom('emails')
    .select(['id', 'email', 'confirmed_at'])
    .where('user_id', '=', user)
    .orderBy('id');
  return id ? query.where('id', '=', id) : query;
});

/** A user's addresses, the first one among them once it is confirmed. */
export async function listEmails(db: Database, user: number, slice: Slice) {
  const { rows, total } = await emailList.page(db.read, { user }, slice);
  return new Page(rows, total).map(present);
}

export async function getEmail(db: Database, user: number, id: number) {
  return present(await find(db, user, id));
}

async function find(db: Database, user: number, id: number): Promise<EmailRow> {
  const row = await emailList.first(db.read, { user, id });
  if (!row) throw new NotFound('Email');
  return row;
}

const taken = () => new Invalid({ email: ['has already been taken'] });

/** Adds an address; `confirmed` when an administrator vouches for it. */
export async function addEmail(db: Database, user: number, email: string, confirmed: boolean) {
  const problems = emailProblems(email);
  if (problems.length > 0) throw new Invalid({ email: problems });
  try {
    return present(await db.write((trx) => insert(trx, user, email, confirmed)));
  } catch (error) {
    throw uniqueViolation(error) ? taken() : error;
  }
}

async function insert(trx: Writer, user: number, email: string, confirmed: boolean): Promise<EmailRow> {
  const now = Date.now();
  await holdEmail(trx, email);
  if (await isEmailTaken(trx, email)) throw taken();
  if (confirmed) await confirmEmail(trx, user, email, now);
  else await trx.insertInto('emails').values({ user_id: user, email, confirmed_at: null, created_at: now }).execute();
  return trx
    .selectFrom('emails')
    .select(['id', 'email', 'confirmed_at'])
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .executeTakeFirstOrThrow();
}

/** Takes an address away; where it was shown or stood in commits, nothing or the first one does instead. */
export async function deleteEmail(db: Database, { id: owner }: User, id: number): Promise<void> {
  const { email } = await find(db, owner, id);
  const same = (other: string | null) => other?.toLowerCase() === email.toLowerCase();
  await db.write(async (trx) => {
    const user = await lockRow(trx, 'users', owner);
    if (!user) throw new NotFound('User');
    if (same(user.email)) throw new BadRequest('Cannot delete primary email');
    await trx.deleteFrom('emails').where('id', '=', id).execute();
    const cleared = {
      ...(same(user.public_email) ? { public_email: null } : {}),
      ...(same(user.commit_email) ? { commit_email: null } : {}),
    };
    if (Object.keys(cleared).length === 0) return;
    await trx.updateTable('users').set(cleared).where('id', '=', user.id).execute();
  });
}
