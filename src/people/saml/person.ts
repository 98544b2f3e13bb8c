import { addressOf, isUsableUid, type ProviderUser, textOf } from '../sign-in-providers/public.ts';
import type { Assertion } from './assertion.ts';
import { transient } from './names.ts';
import type { SamlProvider } from './provider.ts';

/** Reads the user of an assertion; undefined if nothing permanent identifies them. */
export function readPerson(
  { nameId, nameIdFormat, attributes }: Assertion,
  { uidAttribute, attributes: names }: Pick<SamlProvider, 'uidAttribute' | 'attributes'>,
): ProviderUser | undefined {
  const first = (wanted: readonly string[]) =>
    wanted.map((name) => textOf(attributes.get(name)?.[0])).find((found) => found !== undefined);
  const uid = uidAttribute === undefined ? permanent(nameId, nameIdFormat) : soleValue(attributes.get(uidAttribute));
  if (uid === undefined || !isUsableUid(uid)) return undefined;
  // An overlong address is ignored rather than truncated, so it is read from the unshortened value.
  const sent = names.email.map((name) => attributes.get(name)?.[0]).find((found) => found !== undefined);
  const email = addressOf(sent);
  const login = first(names.username);
  const parts = [first(names.firstName), first(names.lastName)].filter((part) => part !== undefined).join(' ');
  return {
    uid,
    login: login ?? email ?? uid,
    name: first(names.name) ?? textOf(parts) ?? login ?? email?.split('@')[0] ?? 'user',
    email,
    // SAML has no such flag: the administrator who configures the provider trusts its addresses.
    emailVerified: true,
    groups: [...new Set(names.groups.flatMap((name) => attributes.get(name) ?? []))],
  };
}

/** A transient NameID is a different one at the next sign-in, or that of another user. */
const permanent = (nameId: string, format: string | undefined) => (format === transient ? undefined : nameId);

/** Several values do not tell which one identifies the user. */
const soleValue = (values: readonly string[] = []) => (values.length === 1 ? values[0] : undefined);
