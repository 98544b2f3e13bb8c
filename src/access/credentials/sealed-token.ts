import Type from 'typebox';
import type { Encryption } from '../../platform/secrets/encryption.ts';
import { sealedJson } from '../../platform/secrets/sealed-json.ts';

const oneDay = 24 * 60 * 60 * 1000;
const sealed = sealedJson('conan.token', Type.Object({ token: Type.String(), until: Type.Integer() }));

/** Encrypts a token for Conan, which stores it on disk. It is valid for a day, and no longer than the token itself. */
export function sealToken(encryption: Pick<Encryption, 'encrypt'>, token: string): string {
  return sealed.seal(encryption, { token, until: Date.now() + oneDay });
}

/** Decrypts such a token; undefined if it is invalid or expired. */
export function openToken(encryption: Pick<Encryption, 'decrypt'>, text: string): string | undefined {
  const read = sealed.open(encryption, text);
  return read && read.until > Date.now() ? read.token : undefined;
}
