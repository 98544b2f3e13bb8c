import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Database, Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { BadRequest, Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { instantOrNull } from '../../../platform/http/schema.ts';
import { emailProblems } from '../accounts/rules.ts';
import { changeUser } from '../accounts/store.ts';
import * as store from './store.ts';

const present = ({ id, email, confirmed_at }: store.EmailRow) => ({
  id,
  email,
  confirmed_at: instantOrNull(confirmed_at),
});

/** Lists a user's e-mail addresses, including the primary one once it is confirmed. */
export async function listEmails(db: Database, user: number, slice: Slice) {
  const { rows, total } = await store.listEmails(db.read, user, slice);
  return new Page(rows, total).map(present);
}

export async function getEmail(db: Database, user: number, id: number) {
  return present(await find(db, user, id));
}

async function find(db: Database, user: number, id: number): Promise<store.EmailRow> {
  const row = await store.findEmail(db.read, user, id);
  if (!row) throw new NotFound('Email');
  return row;
}

const taken = () => new Invalid({ email: ['has already been taken'] });

/** Adds an e-mail address; `confirmed` if an administrator skips confirmation. */
export async function addEmail(services: Services, user: number, email: string, confirmed = false) {
  const problems = emailProblems(email);
  if (problems.length > 0) throw new Invalid({ email: problems });
  try {
    return present(await services.db.write((trx) => insert(services, trx, user, email, confirmed)));
  } catch (error) {
    throw uniqueViolation(error) ? taken() : error;
  }
}

async function insert(
  services: Services,
  trx: Writer,
  user: number,
  email: string,
  confirmed: boolean,
): Promise<store.EmailRow> {
  const now = Date.now();
  await store.lockEmail(trx, email);
  if (await store.isEmailTaken(trx, email)) throw taken();
  if (confirmed) await store.confirmEmail(services, trx, user, email, now);
  else {
    await store.insertUnconfirmed(trx, user, email, now);
    const owner = await findUser(trx, user);
    if (owner) await services.announce(trx, 'email.added', { user: owner, email });
  }
  return store.emailOf(trx, email);
}

/** Sets a user's primary e-mail address to a verified one, unless another user has it. */
export async function replaceEmail(services: Services, trx: Writer, user: User, email: string): Promise<User> {
  await store.lockEmail(trx, email);
  if (await store.isEmailTaken(trx, email, user.id)) return user;
  const changed = await changeUser(services, trx, user, { email, unconfirmed_email: null });
  await store.confirmEmail(services, trx, user.id, email, Date.now());
  return changed;
}

/**
 * Deletes an e-mail address; where it was used publicly or in commits, it is cleared or replaced by the primary one.
 */
export async function deleteEmail(services: Services, { id: owner }: User, id: number): Promise<void> {
  const { email } = await find(services.db, owner, id);
  const same = (other: string | null) => other?.toLowerCase() === email.toLowerCase();
  await services.db.write(async (trx) => {
    const user = await lockRow(trx, 'users', owner);
    if (!user) throw new NotFound('User');
    if (same(user.email)) throw new BadRequest('Cannot delete primary email');
    await store.deleteEmailRow(trx, id);
    const cleared = {
      ...(same(user.public_email) ? { public_email: null } : {}),
      ...(same(user.commit_email) ? { commit_email: null } : {}),
    };
    if (Object.keys(cleared).length > 0) await changeUser(services, trx, user, cleared);
  });
}
