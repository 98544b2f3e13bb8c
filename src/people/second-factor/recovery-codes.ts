import { randomBytes } from 'node:crypto';
import { digest } from '../../platform/secrets/tokens.ts';
import { base32 } from './totp.ts';

const howMany = 10;
const bytesEach = 10;

/** Normalizes a code as typed: removes spaces and dashes. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase();

/** Splits a text into groups of four characters. */
export const inGroups = (text: string, between: string): string => (text.match(/.{1,4}/g) ?? []).join(between);

/** Generates recovery codes of 80 bits each, so that a fast digest is sufficient. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: howMany }, () => inGroups(base32(randomBytes(bytesEach)).toLowerCase(), '-'));

export const codeDigest = (code: string): string => digest(plainCode(code));
