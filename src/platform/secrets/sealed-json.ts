import type { Static, TSchema } from 'typebox';
import { storedJson } from '../stored-json.ts';
import { type Encryption, Undecryptable } from './encryption.ts';

/** JSON handed out encrypted, in a link or as a credential, and trusted when it comes back. */
export interface SealedJson<T> {
  seal(encryption: Pick<Encryption, 'encrypt'>, value: T): string;
  /** Undefined for anything not sealed by this server for this purpose. */
  open(encryption: Pick<Encryption, 'decrypt'>, sealed: string): T | undefined;
}

export function sealedJson<S extends TSchema>(purpose: string, schema: S): SealedJson<Static<S>> {
  const read = storedJson(schema);
  return {
    seal: (encryption, value) => encryption.encrypt(JSON.stringify(value), purpose),
    open(encryption, sealed) {
      try {
        return read(encryption.decrypt(sealed, purpose));
      } catch (error) {
        if (error instanceof Undecryptable) return undefined;
        throw error;
      }
    },
  };
}
