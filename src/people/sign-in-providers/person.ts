import type { SignInProvider } from './provider.ts';

/** A user authenticated by a provider. */
export interface ProviderUser {
  /** External uid of identities: what the provider never changes or reassigns. */
  readonly uid: string;
  readonly login: string;
  readonly name: string;
  readonly email: string | undefined;
  /** Undefined if the provider does not send it. */
  readonly emailVerified: boolean | undefined;
  readonly groups: readonly string[];
}

/** Maximum length of a stored uid, name or e-mail address. */
export const longest = 255;

/** Whether an external uid can be stored. */
export const isUsableUid = (uid: string): boolean => uid !== '' && uid.length <= longest && !uid.includes('\0');

/** Returns the text of a claim; undefined if it cannot be stored. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.includes('\0') ? undefined : text.slice(0, longest);
}

/** Returns an e-mail address. Overlong ones are ignored, because truncated they may be the address of another user. */
export function addressOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim().length <= longest ? textOf(value)?.toLowerCase() : undefined;
}

const isInOneOf = ({ groups }: ProviderUser, accepted: readonly string[]) =>
  accepted.some((group) => groups.includes(group));

/** Whether the user is in one of the required groups, if any are configured. */
export function isAdmitted(person: ProviderUser, { requiredGroups }: Pick<SignInProvider, 'requiredGroups'>): boolean {
  return requiredGroups.length === 0 || isInOneOf(person, requiredGroups);
}

/** Returns the flags that the user's groups decide; flags without configured groups are omitted. */
export function flagsFromGroups(
  person: ProviderUser,
  { adminGroups, externalGroups }: Pick<SignInProvider, 'adminGroups' | 'externalGroups'>,
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
  { label, signUp, linkByEmail }: Pick<SignInProvider, 'label' | 'signUp' | 'linkByEmail'>,
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
