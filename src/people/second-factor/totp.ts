import { createHmac } from 'node:crypto';
import { safeEqual } from '../../platform/secrets/tokens.ts';

const stepMs = 30_000;
const digits = 6;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes in base32 (RFC 4648) without padding. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31];
}

/** Returns the 30-second time step of an instant. */
export const stepAt = (instant: number): number => Math.floor(instant / stepMs);

/** Computes the code of a step: RFC 6238 with SHA-1 and six digits, which every app supports. */
export function codeAt(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(at) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/**
 * Returns the step whose code matches: the current one or an adjacent one, to allow for clock skew. Steps up to the
 * last one used are rejected. All three codes are always compared.
 */
export function matchingStep(key: Uint8Array, code: string, now: number, lastUsed: number): number | undefined {
  const current = stepAt(now);
  const right = [current - 1, current, current + 1].filter((step) => safeEqual(codeAt(key, step), code));
  return right.find((step) => step > lastUsed);
}

/** Returns the provisioning URI for authenticator apps. */
export function appLink(key: Uint8Array, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(key)}&issuer=${encodeURIComponent(issuer)}`;
}
