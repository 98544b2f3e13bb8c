import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * The form in which tokens are stored and looked up: SHA-256, base64url. Tokens are long and random, so a slow hash is
 * not needed, and a lookup by digest does not reveal by its timing how much of a guess was right.
 */
export function digest(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** A random token of URL-safe characters with six bits each; the default of twenty has 120 bits. */
export function randomToken(length = 20): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64url')
    .slice(0, length);
}

/** Compares two secrets in constant time. */
export function safeEqual(left: string, right: string): boolean {
  // Digests have equal lengths: timingSafeEqual would otherwise throw and thereby reveal the length of the secret.
  return timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));
}
