import type { Provider } from './provider.ts';

/** Verified claims of a provider. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** A user authenticated by a provider. */
export interface ProviderUser {
  /** External uid of identities: the only claim that is never changed or reassigned. */
  readonly uid: string;
  readonly login: string;
  readonly name: string;
  readonly email: string | undefined;
  /** Undefined if the provider does not send it. */
  readonly emailVerified: boolean | undefined;
  readonly groups: readonly string[];
}

const longest = 255;

/** Returns the text of a claim; undefined if it cannot be stored. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.includes('\0') ? undefined : text.slice(0, longest);
}

/** Returns an e-mail address. Overlong ones are ignored, because truncated they may be the address of another user. */
function addressOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim().length <= longest ? textOf(value)?.toLowerCase() : undefined;
}

/** Some providers send the flag as a string. */
function flagOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === undefined || value === null ? undefined : false;
}

/** Accepts a list or a single group. */
function groupsOf(value: unknown): string[] {
  return [value].flat().flatMap((one) => (typeof one === 'string' ? [one] : []));
}

/**
 * Merges the claims of the userinfo endpoint with those of the ID token; signed claims take precedence.
 * `email_verified` applies only to the address it was sent with.
 */
export function mergeClaims(told: Readonly<Record<string, unknown>>, signed: Claims): Claims {
  const { email_verified: flag, ...rest } = told;
  const ofOther = signed.email !== undefined && signed.email !== told.email;
  return { ...rest, ...(!ofOther && flag !== undefined && { email_verified: flag }), ...signed };
}

/**
 * Whether the address is verified: `email_verified` refers to the claim `email`, not to another claim that users may
 * choose freely.
 */
function confirmed(claims: Claims, email: string | undefined): boolean | undefined {
  const same = email !== undefined && addressOf(claims.email) === email;
  return same ? flagOf(claims.email_verified) : undefined;
}

/** Reads the claims of a user; undefined if the subject is not usable. */
export function readPerson(claims: Claims, names: Provider['claims']): ProviderUser | undefined {
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

const isInOneOf = ({ groups }: ProviderUser, accepted: readonly string[]) =>
  accepted.some((group) => groups.includes(group));

/** Whether the user is in one of the required groups, if any are configured. */
export function isAdmitted(person: ProviderUser, { requiredGroups }: Pick<Provider, 'requiredGroups'>): boolean {
  return requiredGroups.length === 0 || isInOneOf(person, requiredGroups);
}

/** Returns the flags that the user's groups decide; flags without configured groups are omitted. */
export function flagsFromGroups(
  person: ProviderUser,
  { adminGroups, externalGroups }: Pick<Provider, 'adminGroups' | 'externalGroups'>,
): { admin?: 0 | 1; external?: 0 | 1 } {
  return {
    ...(adminGroups.length > 0 && { admin: isInOneOf(person, adminGroups) ? 1 : 0 }),
    ...(externalGroups.length > 0 && { external: isInOneOf(person, externalGroups) ? 1 : 0 }),
  };
}

/** The account that already has the e-mail address of an unlinked user. */
export interface AddressOwner {
  readonly kind: 'nobody' | 'human' | 'other';
  /** Whether it is the primary, confirmed address of that account. */
  readonly confirmed: boolean;
  /** Whether that account is linked to another identity of the provider. */
  readonly linked: boolean;
}

/** What to do with a user whose identity is not linked to an account. */
export type UnlinkedUserAction = 'link' | 'create' | { readonly refused: string };

export function resolveUnlinked(
  person: ProviderUser,
  owner: AddressOwner,
  { label, signUp, linkByEmail }: Pick<Provider, 'label' | 'signUp' | 'linkByEmail'>,
): UnlinkedUserAction {
  if (owner.kind !== 'nobody') {
    // Users who can choose their e-mail address, at the provider or here, must not take over the account that already
    // has it.
    const isSame = person.emailVerified === true && owner.kind === 'human' && owner.confirmed && !owner.linked;
    if (linkByEmail && isSame) return 'link';
    return {
      refused: `An account with your e-mail address already exists. Sign in to it, then connect it with ${label} in your settings.`,
    };
  }
  if (!signUp) return { refused: `No account is connected to your identity at ${label}. Contact an administrator.` };
  if (person.email === undefined)
    return { refused: `${label} did not provide your e-mail address, which is required.` };
  if (person.emailVerified === false) return { refused: `Confirm your e-mail address at ${label} first.` };
  return 'create';
}
