import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * The form in which a token is stored and looked up: SHA-256, base64url. Tokens are random and long, so nothing slower
 * is needed, and a lookup by digest does not tell by its timing how much of a guess was right.
 */
export function digest(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** A random token of URL-safe characters, six bits each; twenty of them make 120 bits. */
export function randomToken(length = 20): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64url')
    .slice(0, length);
}

/** Compares two secrets in a time that depends on neither. */
export function safeEqual(left: string, right: string): boolean {
  // Digests have one length: timingSafeEqual would otherwise reveal, by throwing, the length of the secret.
  return timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));
}
