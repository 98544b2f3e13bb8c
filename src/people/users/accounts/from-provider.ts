import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { wasRemoved } from '../identities/removed-store.ts';
import { userByIdentity } from '../identities/store.ts';
import { createUserAsAdmin, type NewUserInput } from './service.ts';
import { isUsernameTaken } from './store.ts';

const maxTries = 50;

/** What a provider of sign-ins knows of somebody, and knows them by. */
export type IdentifiedUser = Pick<
  NewUserInput,
  'email' | 'name' | 'username' | 'skip_confirmation' | 'awaits_approval'
> & {
  readonly provider: string;
  readonly extern_uid: string;
};

/**
 * Makes an account for somebody at their first sign-in; a user name that is taken, or may not be had, gets a number. Whose
 * account was removed here does not undo that by coming again: an administrator has to approve.
 */
export async function createForIdentity(services: Services, account: IdentifiedUser): Promise<User | undefined> {
  const { db, log } = services;
  const { provider, extern_uid } = account;
  const name = account.name.slice(0, 255);
  const awaits_approval = account.awaits_approval === true || (await wasRemoved(db.read, provider, extern_uid));
  for (let tried = 0; tried < maxTries; tried++) {
    const username = tried === 0 ? account.username : `${account.username}${tried}`;
    if (await isUsernameTaken(db.read, username)) continue;
    try {
      return await createUserAsAdmin(services, {
        ...account,
        ...{ name, username, awaits_approval, force_random_password: true },
      });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      // Two first sign-ins at once: the other one has made the account.
      const made = await userByIdentity(db.read, provider, extern_uid);
      if (made) return made;
      if (tried > 0)
        log.warn({ provider, extern_uid, err: error }, 'no account could be made for somebody of a provider');
    }
  }
  return undefined;
}
