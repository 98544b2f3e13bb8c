import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Limiter } from '../concurrency.ts';
import { formatPhc, parsePhc } from './phc.ts';

/** Cost parameters of a hash. */
export interface PasswordCost {
  /** KiB. */
  memory: number;
  passes: number;
  parallelism: number;
}

/** Hashes and verifies passwords, off the main thread. */
export interface Passwords {
  /** The text to store for a password. */
  hash(password: string): Promise<string>;
  /**
   * Whether the password matches the stored hash. Pass undefined for an unknown user or one without a password, so that
   * it takes equally long.
   */
  verify(password: string, stored: string | null | undefined): Promise<boolean>;
  /** Whether the hash was created with other cost parameters than today's; rehash after a successful verification. */
  needsRehash(stored: string): boolean;
}

/** 19 MiB and two passes, as OWASP recommends for argon2id. */
const defaultCost: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };

const derive = promisify(argon2);
const hashBytes = 32;

/**
 * Argon2id. At most `concurrency` hashes run at once: each occupies memory and one of the four threads that also serve
 * the file system, so a flood of sign-ins slows down only sign-ins. Throws `Busy` beyond `waiting` queued calls.
 */
export function createPasswords({ cost = defaultCost, concurrency = 2, waiting = 64 } = {}): Passwords {
  const hashing = new Limiter({ running: concurrency, waiting });
  const dummy = randomBytes(hashBytes);

  const hashOf = (password: string, salt: Buffer, at: PasswordCost, tagLength: number) => {
    const { memory, passes, parallelism } = at;
    // Normalize accented letters: keyboards differ in how they compose them.
    const message = password.normalize('NFKC');
    return hashing.run(() => derive('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength }));
  };

  return {
    async hash(password) {
      const salt = randomBytes(16);
      return formatPhc({ ...cost, salt, hash: await hashOf(password, salt, cost, hashBytes) });
    },
    async verify(password, stored) {
      const known = stored ? parsePhc(stored) : undefined;
      const { salt, hash, ...at } = known ?? { ...cost, salt: dummy, hash: dummy };
      const same = timingSafeEqual(await hashOf(password, salt, at, hash.length), hash);
      return same && known !== undefined;
    },
    needsRehash(stored) {
      const { memory, passes, parallelism } = parsePhc(stored);
      return memory !== cost.memory || passes !== cost.passes || parallelism !== cost.parallelism;
    },
  };
}
