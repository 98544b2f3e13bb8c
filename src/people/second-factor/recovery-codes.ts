import { randomBytes } from 'node:crypto';
import { digest } from '../../platform/secrets/tokens.ts';
import { base32 } from './totp.ts';

const howMany = 10;
const bytesEach = 10;

/** What somebody typed, without the spaces and dashes that are there to read it by. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase();

/** In groups of four, as it is copied by hand. */
export const inGroups = (text: string, between: string): string => (text.match(/.{1,4}/g) ?? []).join(between);

/** Codes to be written down; eighty bits each, so their digests need no slower function. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: howMany }, () => inGroups(base32(randomBytes(bytesEach)).toLowerCase(), '-'));

export const codeDigest = (code: string): string => digest(plainCode(code));
