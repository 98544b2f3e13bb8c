import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Key, readKeyFile } from './key-file.ts';

/** Encrypts secrets in the database, so that a copy of it does not reveal them. */
export interface Encryption {
  /** `purpose` names the column (`mirrors.password`); only the same purpose decrypts. */
  encrypt(plain: string, purpose: string): string;
  /** Throws `Undecryptable` for a modified ciphertext, another purpose or a missing key. */
  decrypt(ciphertext: string, purpose: string): string;
  /**
   * A signature of a text for a purpose, which cannot be forged without the keys; the same until a new key is added.
   */
  sign(text: string, purpose: string): Buffer;
  /**
   * Whether this is the signature of the text under any of the keys. A truncated signature is compared as far as it
   * goes.
   */
  isSigned(text: string, purpose: string, signature: Uint8Array): boolean;
}

/** None of the keys decrypts the ciphertext for this purpose. */
export class Undecryptable extends Error {
  override readonly name = 'Undecryptable';
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Opens encryption with the keys of a file, which is created if missing. */
export async function openEncryption(keyFile: string): Promise<Encryption> {
  return createEncryption(await readKeyFile(keyFile));
}

/** AES-256-GCM; the first key encrypts, all decrypt. The format is `v1.<key id>.<nonce, data, tag>`. */
export function createEncryption(keys: readonly Key[]): Encryption {
  const [current] = keys;
  if (!current) throw new Error('encryption needs a key');
  return {
    encrypt: (plain, purpose) => seal(current, plain, purpose),
    decrypt(ciphertext, purpose) {
      const { keyId, sealed } = parts(ciphertext);
      const key = keys.find(({ id }) => id === keyId);
      if (!key) throw new Undecryptable(`the key ${keyId} of a ciphertext for ${purpose} is not in the key file`);
      return unseal(key, sealed, purpose);
    },
    sign: (text, purpose) => authenticate(current, text, purpose),
    isSigned: (text, purpose, signature) =>
      signature.length >= minSignatureBytes &&
      keys.some((key) => {
        const whole = authenticate(key, text, purpose);
        return signature.length <= whole.length && timingSafeEqual(whole.subarray(0, signature.length), signature);
      }),
  };
}

// The purpose is authenticated with the data: someone with write access to the database cannot move a ciphertext to a
// column that is shown in plain text.
function bound(key: Key, purpose: string): Buffer {
  return Buffer.from(`v1.${key.id}.${purpose}`);
}

// Shorter signatures could be guessed.
const minSignatureBytes = 12;

/** HMAC-SHA-256 with a key derived for the purpose, so that different uses of a key are independent. */
function authenticate(key: Key, text: string, purpose: string): Buffer {
  const derived = hkdfSync('sha256', key.secret, '', `sign ${purpose}`, 32);
  return createHmac('sha256', Buffer.from(derived)).update(text).digest();
}

function seal(key: Key, plain: string, purpose: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key.secret, nonce, { authTagLength: tagBytes });
  cipher.setAAD(bound(key, purpose));
  const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `v1.${key.id}.${sealed.toString('base64url')}`;
}

function unseal(key: Key, sealed: Buffer, purpose: string): string {
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key.secret, nonce, { authTagLength: tagBytes });
  decipher.setAAD(bound(key, purpose));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw new Undecryptable(`a ciphertext for ${purpose} was modified, or created for another purpose`);
  }
}

function parts(ciphertext: string): { keyId: string; sealed: Buffer } {
  const [, keyId, body] = /^v1\.([0-9a-f]{8})\.([\w-]+)$/.exec(ciphertext) ?? [];
  const sealed = Buffer.from(body ?? '', 'base64url');
  // The last character has unused bits: only the canonical encoding is accepted.
  const canonical = sealed.toString('base64url') === body;
  if (!keyId || !canonical || sealed.length < nonceBytes + tagBytes) throw new Undecryptable('not a valid ciphertext');
  return { keyId, sealed };
}
