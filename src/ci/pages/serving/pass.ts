import Type, { type Static } from 'typebox';
import type { Encryption } from '../../../platform/secrets/encryption.ts';
import { storedJson } from '../../../platform/stored-json.ts';

// Three kinds of encrypted tokens, each bound to a purpose, a host and an expiry time.

/** Sign-in state kept in a cookie on the Pages host while the browser signs in. */
const SignInState = Type.Object({
  state: Type.String(),
  host: Type.String(),
  back: Type.String(),
  until: Type.Integer(),
});
export type SignInState = Readonly<Static<typeof SignInState>>;

/** Identity of a user, issued to one Pages host: first as a code, then stored in a cookie. */
const Pass = Type.Object({
  /** Identifies the user's session, so that signing out of the server also ends access to sites. */
  session: Type.String(),
  host: Type.String(),
  /** State of the sign-in this answers. */
  state: Type.String(),
  until: Type.Integer(),
});
export type Pass = Readonly<Static<typeof Pass>>;

const purposes = { errand: 'pages.errand', code: 'pages.code', visit: 'pages.visit' } as const;
const readSignInState = storedJson(SignInState);
const readPass = storedJson(Pass);
const maxTokenLength = 8000;

export function encryptToken(encryption: Encryption, kind: keyof typeof purposes, note: SignInState | Pass): string {
  return encryption.encrypt(JSON.stringify(note), purposes[kind]);
}

function decryptToken<T extends { readonly host: string; readonly until: number }>(
  encryption: Encryption,
  purpose: string,
  sealed: string | undefined,
  host: string,
  read: (text: string) => T,
): T | undefined {
  if (sealed === undefined || sealed.length > maxTokenLength) return undefined;
  try {
    const note = read(encryption.decrypt(sealed, purpose));
    return note.host === host && note.until > Date.now() ? note : undefined;
  } catch {
    // Forged, modified, or encrypted with a key that no longer exists.
    return undefined;
  }
}

export const decryptSignInState = (encryption: Encryption, sealed: string | undefined, host: string) =>
  decryptToken(encryption, purposes.errand, sealed, host, readSignInState);

export const decryptPass = (encryption: Encryption, kind: 'code' | 'visit', sealed: string | undefined, host: string) =>
  decryptToken(encryption, purposes[kind], sealed, host, readPass);
