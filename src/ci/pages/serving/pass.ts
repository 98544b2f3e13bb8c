import Type, { type Static } from 'typebox';
import type { Encryption } from '../../../platform/secrets/encryption.ts';
import { storedJson } from '../../../platform/stored-json.ts';

// Three sealed notes, each for one purpose and one host: none of them is good for another, nor for another time.

/** What a browser keeps on a host of sites while it is away to sign in. */
const SignInState = Type.Object({
  state: Type.String(),
  host: Type.String(),
  back: Type.String(),
  until: Type.Integer(),
});
export type SignInState = Readonly<Static<typeof SignInState>>;

/** Who somebody is, told by the forge to one host of sites: on the way there as a code, then as a cookie. */
const Pass = Type.Object({
  /** What is stored of the session at the forge: whoever signs out there is out here. */
  session: Type.String(),
  host: Type.String(),
  /** Of the errand it answers. */
  state: Type.String(),
  until: Type.Integer(),
});
export type Pass = Readonly<Static<typeof Pass>>;

const purposes = { errand: 'pages.errand', code: 'pages.code', visit: 'pages.visit' } as const;
const readSignInState = storedJson(SignInState);
const readPass = storedJson(Pass);
const longest = 8000;

export function seal(encryption: Encryption, kind: keyof typeof purposes, note: SignInState | Pass): string {
  return encryption.encrypt(JSON.stringify(note), purposes[kind]);
}

function unsealed<T extends { readonly host: string; readonly until: number }>(
  encryption: Encryption,
  purpose: string,
  sealed: string | undefined,
  host: string,
  read: (text: string) => T,
): T | undefined {
  if (sealed === undefined || sealed.length > longest) return undefined;
  try {
    const note = read(encryption.decrypt(sealed, purpose));
    return note.host === host && note.until > Date.now() ? note : undefined;
  } catch {
    // Made up, changed, or sealed with a key that is gone.
    return undefined;
  }
}

export const openSignInState = (encryption: Encryption, sealed: string | undefined, host: string) =>
  unsealed(encryption, purposes.errand, sealed, host, readSignInState);

export const openPass = (encryption: Encryption, kind: 'code' | 'visit', sealed: string | undefined, host: string) =>
  unsealed(encryption, purposes[kind], sealed, host, readPass);
