import { addressOf, isUsableUid, type ProviderUser, textOf } from '../sign-in-providers/public.ts';
import type { Provider } from './provider.ts';

/** Verified claims of a provider. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

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
  if (!isUsableUid(sub)) return undefined;
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
