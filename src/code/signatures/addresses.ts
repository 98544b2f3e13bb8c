import { confirmedEmails, hiddenEmail } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { confirmedOwner, findUsername } from './store.ts';

/** The confirmed e-mail addresses of a user in lower case, including the private commit e-mail. */
export async function commitEmailsOf(db: Reader, userId: number, externalUrl: string): Promise<Set<string>> {
  const user = await findUsername(db, userId);
  const owned = await confirmedEmails(db, userId);
  if (user) owned.add(hiddenEmail(user, externalUrl).toLowerCase());
  return owned;
}

/** Returns the user who owns a confirmed e-mail address. */
export async function findEmailOwner(db: Reader, email: string, externalUrl: string): Promise<number | undefined> {
  const hidden = /^(\d{1,15})-[^@]+@users\.noreply\./i.exec(email);
  if (hidden) {
    const id = Number(hidden[1]);
    return (await commitEmailsOf(db, id, externalUrl)).has(email.toLowerCase()) ? id : undefined;
  }
  return confirmedOwner(db, email);
}
