import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { isRemovedIdentity } from '../identities/removed-store.ts';
import { userByIdentity } from '../identities/store.ts';
import { createUserAsAdmin, type NewUserInput } from './service.ts';
import { isUsernameTaken } from './store.ts';

const maxTries = 50;

/** Profile and identity of a user at a sign-in provider. */
export type IdentifiedUser = Pick<
  NewUserInput,
  'email' | 'name' | 'username' | 'skip_confirmation' | 'awaits_approval'
> & {
  readonly provider: string;
  readonly extern_uid: string;
};

/**
 * Creates an account at the first sign-in; a number is appended to a username that is taken or reserved. A user whose
 * account was deleted needs the approval of an administrator.
 */
export async function createForIdentity(services: Services, account: IdentifiedUser): Promise<User | undefined> {
  const { db, log } = services;
  const { provider, extern_uid } = account;
  const name = account.name.slice(0, 255);
  const awaits_approval = account.awaits_approval === true || (await isRemovedIdentity(db.read, provider, extern_uid));
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const username = attempt === 0 ? account.username : `${account.username}${attempt}`;
    if (await isUsernameTaken(db.read, username)) continue;
    try {
      return await createUserAsAdmin(services, {
        ...account,
        ...{ name, username, awaits_approval, force_random_password: true },
      });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      // A concurrent first sign-in has created the account.
      const existing = await userByIdentity(db.read, provider, extern_uid);
      if (existing) return existing;
      if (attempt > 0)
        log.warn(
          { provider, extern_uid, err: error },
          'an account for a user of a sign-in provider could not be created',
        );
    }
  }
  return undefined;
}
