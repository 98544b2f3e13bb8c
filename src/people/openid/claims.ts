import type { Provider } from './provider.ts';

/** What a provider says of somebody, once its word is known to be its own. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Somebody whom a provider has let in. */
export interface Person {
  /** What identities are stored by: it alone never changes, nor goes to somebody else. */
  readonly uid: string;
  readonly login: string;
  readonly name: string;
  readonly email: string | undefined;
  /** Undefined where the provider says nothing of it. */
  readonly emailVerified: boolean | undefined;
  readonly groups: readonly string[];
}

const longest = 255;

/** Text of a claim that can be kept; others count as not said. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.includes('\0') ? undefined : text.slice(0, longest);
}

/** An address; one that is too long is not said, since its beginning may be the address of somebody else. */
function addressOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim().length <= longest ? textOf(value)?.toLowerCase() : undefined;
}

/** Some providers write the flag as a text. */
function flagOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === undefined || value === null ? undefined : false;
}

/** A list, or one group alone as a text. */
function groupsOf(value: unknown): string[] {
  return [value].flat().flatMap((one) => (typeof one === 'string' ? [one] : []));
}

/**
 * What a provider says twice, by its token and when it is asked: what is signed wins. That an address is confirmed counts
 * for the address that it was said with alone.
 */
export function joinedClaims(told: Readonly<Record<string, unknown>>, signed: Claims): Claims {
  const { email_verified: flag, ...rest } = told;
  const ofOther = signed.email !== undefined && signed.email !== told.email;
  return { ...rest, ...(!ofOther && flag !== undefined && { email_verified: flag }), ...signed };
}

/** Whether the address is confirmed: providers say so of the claim `email`, and of no other that people may choose as they like. */
function confirmed(claims: Claims, email: string | undefined): boolean | undefined {
  const same = email !== undefined && addressOf(claims.email) === email;
  return same ? flagOf(claims.email_verified) : undefined;
}

/** Reads what a provider says; undefined where that is nobody who could be told from others. */
export function readPerson(claims: Claims, names: Provider['claims']): Person | undefined {
  const { sub } = claims;
  if (sub === '' || sub.length > longest || sub.includes('\0')) return undefined;
  const email = addressOf(claims[names.email]);
  const login = names.username.map((name) => textOf(claims[name])).find((found) => found !== undefined);
  return {
    uid: sub,
    login: login ?? email ?? 'user',
    name: textOf(claims[names.name]) ?? login ?? email?.split('@')[0] ?? 'user',
    email,
    emailVerified: confirmed(claims, email),
    groups: groupsOf(claims[names.groups]),
  };
}

const isInOneOf = ({ groups }: Person, wanted: readonly string[]) => wanted.some((group) => groups.includes(group));

/** Is somebody in one of the groups that a provider's people must be in, if any? */
export function isAdmitted(person: Person, { requiredGroups }: Pick<Provider, 'requiredGroups'>): boolean {
  return requiredGroups.length === 0 || isInOneOf(person, requiredGroups);
}

/** What somebody's groups make of their account; nothing is said of what no group decides. */
export function marksOf(
  person: Person,
  { adminGroups, externalGroups }: Pick<Provider, 'adminGroups' | 'externalGroups'>,
): { admin?: 0 | 1; external?: 0 | 1 } {
  return {
    ...(adminGroups.length > 0 && { admin: isInOneOf(person, adminGroups) ? 1 : 0 }),
    ...(externalGroups.length > 0 && { external: isInOneOf(person, externalGroups) ? 1 : 0 }),
  };
}

/** Who has the address of somebody that no account is linked to. */
export interface AddressOwner {
  readonly kind: 'nobody' | 'human' | 'other';
  /** It is their first address, and they have shown that it is theirs. */
  readonly confirmed: boolean;
  /** The provider knows them as somebody else. */
  readonly linked: boolean;
}

/** What is done with somebody whom no account is linked to yet. */
export type Arrival = 'link' | 'create' | { readonly refused: string };

export function arrivalOf(
  person: Person,
  owner: AddressOwner,
  { label, signUp, linkByEmail }: Pick<Provider, 'label' | 'signUp' | 'linkByEmail'>,
): Arrival {
  if (owner.kind !== 'nobody') {
    // Whoever can choose their address, there or here, must not get into the account of who has it.
    const isSame = person.emailVerified === true && owner.kind === 'human' && owner.confirmed && !owner.linked;
    if (linkByEmail && isSame) return 'link';
    return {
      refused: `An account here has your e-mail address. Sign in to it as usual, then connect it with ${label} in your settings.`,
    };
  }
  if (!signUp) return { refused: `No account here is connected with yours at ${label}. Ask an administrator for one.` };
  if (person.email === undefined)
    return { refused: `${label} did not tell your e-mail address, which is needed here.` };
  if (person.emailVerified === false) return { refused: `Confirm your e-mail address at ${label} first.` };
  return 'create';
}
