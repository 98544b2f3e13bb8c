import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { usernameFrom } from '../directory/public.ts';
import { SignInRefused } from '../sessions/public.ts';
import {
  changeUser,
  createForIdentity,
  identitiesOf,
  isEmailTaken,
  setIdentity,
  userByEmail,
  userByIdentity,
} from '../users/public.ts';
import { type AddressOwner, flagsFromGroups, type ProviderUser, resolveUnlinked } from './person.ts';
import type { SignInProvider } from './provider.ts';

/** Returns the account of a user authenticated by a provider, linking or creating it if necessary. */
export async function resolveAccount(
  services: Services,
  provider: SignInProvider,
  person: ProviderUser,
): Promise<User> {
  const { db } = services;
  const user = (await userByIdentity(db.read, provider.name, person.uid)) ?? (await arrive(services, provider, person));
  const marked = await mark(services, provider, person, user);
  const { name, protocol } = provider;
  await db.write((trx) =>
    services.announce(trx, 'provider.identified', {
      userId: user.id,
      provider: { name, protocol },
      groups: person.groups,
    }),
  );
  return marked;
}

async function arrive(services: Services, provider: SignInProvider, person: ProviderUser): Promise<User> {
  const { db } = services;
  const owner = person.email === undefined ? undefined : await userByEmail(db.read, person.email);
  const arrival = resolveUnlinked(person, await ownerOf(db.read, provider, person, owner), provider);
  if (typeof arrival === 'object') throw new SignInRefused(arrival.refused);
  if (arrival === 'link' && owner) {
    await connect(services, provider, person, owner);
    return owner;
  }
  return create(services, provider, person);
}

async function ownerOf(
  db: Reader,
  provider: SignInProvider,
  { email }: ProviderUser,
  owner: User | undefined,
): Promise<AddressOwner> {
  const none = { confirmed: false, linked: false };
  if (!owner) {
    const isTaken = email !== undefined && (await isEmailTaken(db, email));
    return { kind: isTaken ? 'other' : 'nobody', ...none };
  }
  return {
    kind: owner.kind === 'human' ? 'human' : 'other',
    confirmed: owner.confirmed_at !== null,
    linked: await isLinked(db, provider, owner.id),
  };
}

async function isLinked(db: Reader, { name }: SignInProvider, userId: number): Promise<boolean> {
  const own = (await identitiesOf(db, [userId])).get(userId) ?? [];
  return own.some((identity) => identity.provider === name);
}

async function create(
  services: Services,
  provider: SignInProvider,
  { uid, email = '', ...person }: ProviderUser,
): Promise<User> {
  const user = await createForIdentity(services, {
    email,
    name: person.name,
    username: usernameFrom(person.login),
    skip_confirmation: person.emailVerified === true,
    awaits_approval: provider.approval,
    provider: provider.name,
    extern_uid: uid,
  });
  if (!user) throw new SignInRefused('No account could be created for you. Contact an administrator.');
  return user;
}

/** Links an account to an identity of a provider, which can then be used to sign in. */
export async function connect(
  services: Services,
  provider: SignInProvider,
  { uid }: ProviderUser,
  user: User,
): Promise<void> {
  const link = async (trx: Writer): Promise<string | undefined> => {
    await lockRow(trx, 'users', user.id);
    const known = await userByIdentity(trx, provider.name, uid);
    if (known) return known.id === user.id ? undefined : elsewhere(provider);
    if (await isLinked(trx, provider, user.id))
      return `Your account is already connected to another identity at ${provider.label}.`;
    await setIdentity(services, trx, user.id, provider.name, uid, user);
    return undefined;
  };
  const refused = await services.db.write(link).catch((error: unknown) => {
    if (uniqueViolation(error)?.table !== 'identities') throw error;
    return elsewhere(provider);
  });
  if (refused !== undefined) throw new SignInRefused(refused);
}

const elsewhere = ({ label }: SignInProvider) => `Your identity at ${label} is already connected to another account.`;

/** Updates the administrator and external flags from the provider's groups on each sign-in. */
async function mark(services: Services, provider: SignInProvider, person: ProviderUser, user: User): Promise<User> {
  const marks = flagsFromGroups(person, provider);
  const differs = (['admin', 'external'] as const).some(
    (column) => marks[column] !== undefined && marks[column] !== user[column],
  );
  if (!differs) return user;
  return services.db.write(async (trx) => {
    const present = await lockRow(trx, 'users', user.id);
    return present ? changeUser(services, trx, present, marks) : user;
  });
}
