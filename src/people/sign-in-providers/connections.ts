import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { SignInRefused } from '../sessions/public.ts';
import { deleteIdentity, identitiesOf } from '../users/public.ts';
import { offeredProviders } from './provider.ts';

/** A provider as listed in a user's settings. */
export interface Connection {
  readonly name: string;
  readonly label: string;
  /** The user's identity at the provider, if connected. */
  readonly uid: string | undefined;
}

/** Returns the providers with which a user's account is or can be connected. */
export async function connectionsOf(services: Services, user: User): Promise<Connection[]> {
  const own = (await identitiesOf(services.db.read, [user.id])).get(user.id) ?? [];
  const offered = await offeredProviders(services);
  const uidAt = (name: string) => own.find(({ provider }) => provider === name)?.extern_uid;
  return offered.map(({ name, label }) => ({ name, label, uid: uidAt(name) }));
}

/** Deletes a connection, unless it is the user's only way to sign in. */
export async function disconnect(services: Services, user: User, name: string): Promise<void> {
  const { db, directories } = services;
  const others = [
    ...(await offeredProviders(services)).map((provider) => provider.name),
    ...directories.map(({ settings }) => settings.provider),
  ].filter((provider) => provider !== name);
  const { password_authentication_enabled_for_web: takesPasswords } = await services.settings.read();
  await db.write(async (trx) => {
    const present = await lockRow(trx, 'users', user.id);
    const left = (await identitiesOf(trx, [user.id])).get(user.id) ?? [];
    const hasPassword = takesPasswords && present?.password_digest !== null;
    if (!hasPassword && !left.some(({ provider }) => others.includes(provider))) {
      throw new SignInRefused(
        'This is your only way to sign in. Set a password first by using “Forgot your password?”.',
      );
    }
    await deleteIdentity(services, trx, user.id, name, user);
  });
}
