import { tooLong } from '../../platform/http/too-long.ts';
import type { KeyType, SshKey } from './ssh-key.ts';
import { parseSshKey } from './ssh-key.ts';

const allowed: readonly KeyType[] = ['rsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'];
const leastRsaBits = 2048;
/** The longest key text that is read at all. */
const longest = 5000;

/** The key, or what is wrong with it, to be reported under `key`. */
export function readSshKey(text: string): { key: SshKey } | { problems: string[] } {
  if (text.trim() === '') return { problems: ["can't be blank"] };
  const long = tooLong(text, longest);
  if (long !== undefined) return { problems: [long] };
  const key = parseSshKey(text);
  if (!key) return { problems: ['is invalid'] };
  if (!allowed.includes(key.type)) return { problems: [`type is forbidden. Must be ${listed(allowed)}`] };
  if (key.type === 'rsa' && key.bits < leastRsaBits) return { problems: [`must be at least ${leastRsaBits} bits`] };
  return { key };
}

function listed(types: readonly KeyType[]): string {
  const names = types.map((type) => type.toUpperCase());
  return names.length <= 2 ? names.join(' or ') : `${names.slice(0, -1).join(', ')}, or ${names.at(-1)}`;
}
