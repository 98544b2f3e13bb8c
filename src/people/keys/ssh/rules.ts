import type { ApplicationSettings } from '../../../access/application-settings/list.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { type KeyType, parseSshKey, type SshPublicKey } from './public-key.ts';

const kinds: readonly KeyType[] = ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'];
/** Minimum number of bits per key type; 0 for any, -1 if the type is forbidden. */
export type KeyRestrictions = Pick<ApplicationSettings, `${KeyType}_key_restriction`>;
/** Maximum length of a key text. */
const longest = 5000;

/** Parses and validates a key; returns the key or the errors for `key`. */
export function readSshKey(
  text: string,
  restrictions: KeyRestrictions,
): { key: SshPublicKey } | { problems: string[] } {
  if (text.trim() === '') return { problems: ["can't be blank"] };
  const long = lengthProblem(text, longest);
  if (long !== undefined) return { problems: [long] };
  const key = parseSshKey(text);
  if (!key) return { problems: ['is invalid'] };
  const least = restrictions[`${key.type}_key_restriction`];
  if (least === -1) {
    const allowed = kinds.filter((kind) => restrictions[`${kind}_key_restriction`] !== -1);
    return { problems: [`type is forbidden. Must be ${listed(allowed)}`] };
  }
  if (key.bits < least) return { problems: [`must be at least ${least} bits`] };
  return { key };
}

const day = 86_400_000;

/** Validates the expiry date of a key; returns the error for `key` or undefined. */
export function keyExpiryProblem(
  expiresAt: number | undefined,
  { max_ssh_key_lifetime: days }: Pick<ApplicationSettings, 'max_ssh_key_lifetime'>,
  now = Date.now(),
): string | undefined {
  if (expiresAt !== undefined && expiresAt <= now) return 'has expired';
  if (days === null) return undefined;
  if (expiresAt === undefined) return `has no expiration date but the maximum allowed lifetime is ${days} days`;
  return expiresAt > now + days * day ? `has greater than the maximum allowed lifetime of ${days} days` : undefined;
}

function listed(types: readonly KeyType[]): string {
  const names = types.map((type) => type.toUpperCase());
  return names.length <= 2 ? names.join(' or ') : `${names.slice(0, -1).join(', ')}, or ${names.at(-1)}`;
}
