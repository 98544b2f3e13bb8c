import Type from 'typebox';
import type { Encryption } from '../../platform/secrets/encryption.ts';
import { sealedJson } from '../../platform/secrets/sealed-json.ts';

const oneDay = 24 * 60 * 60 * 1000;
const sealed = sealedJson('conan.token', Type.Object({ token: Type.String(), until: Type.Integer() }));

/** What Conan keeps on disk instead of a token: it stands for it for a day, and no longer than the token itself is good. */
export function sealToken(encryption: Pick<Encryption, 'encrypt'>, token: string): string {
  return sealed.seal(encryption, { token, until: Date.now() + oneDay });
}

/** The token that a sealed one stands for; undefined where it is none, or none any more. */
export function openToken(encryption: Pick<Encryption, 'decrypt'>, text: string): string | undefined {
  const read = sealed.open(encryption, text);
  return read && read.until > Date.now() ? read.token : undefined;
}
