import { trimTrailing } from '../trim.ts';
/** The components of a stored password hash. */
export interface PhcHash {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const version = 19;
const form = /^\$argon2id\$v=(\d+)\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Formats a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
export function formatPhc({ memory, passes, parallelism, salt, hash }: PhcHash): string {
  return `$argon2id$v=${version}$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

/** Parses a PHC string; throws for anything else, without repeating it in the message. */
export function parsePhc(text: string): PhcHash {
  const [, found, memory, passes, parallelism, salt = '', hash = ''] = form.exec(text) ?? [];
  if (Number(found) !== version) throw new Error('a stored password is not an argon2id hash of version 19');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function base64(bytes: Buffer): string {
  return trimTrailing(bytes.toString('base64'), '=');
}
