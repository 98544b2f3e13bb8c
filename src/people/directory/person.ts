import type { DirectoryEntry } from '../../platform/directory/directory.ts';
import { normalizeDn } from '../../platform/directory/dn.ts';
import { trimCharacters } from '../../platform/trim.ts';

/** A user entry of a directory. */
export interface DirectoryPerson {
  /** Normalized; the external uid of identities. */
  readonly dn: string;
  readonly login: string;
  readonly name: string;
  readonly email: string | undefined;
  /** Disabled in the directory. */
  readonly disabled: boolean;
}

const bitOfDisabled = 2;

/** The attributes requested for user entries. */
export function personAttributes(uid: string): string[] {
  return [uid, 'cn', 'displayName', 'givenName', 'sn', 'mail', 'email', 'userPrincipalName', 'userAccountControl'];
}

/** Reads a user entry; undefined if it has no usable DN or login. */
export function readPerson({ dn, attributes }: DirectoryEntry, uid: string): DirectoryPerson | undefined {
  const normal = normalizeDn(dn);
  const first = (...names: string[]) =>
    names.map((name) => attributes.get(name.toLowerCase())?.find((value) => value.trim() !== '')).find(Boolean);
  const login = first(uid);
  if (normal === undefined || login === undefined) return undefined;
  const parts = [first('givenName'), first('sn')].filter(Boolean).join(' ');
  const control = Number(first('userAccountControl') ?? 0);
  return {
    dn: normal,
    login,
    name: first('displayName', 'cn') ?? (parts || login),
    email: first('mail', 'email', 'userPrincipalName')?.toLowerCase(),
    disabled: Number.isSafeInteger(control) && (control & bitOfDisabled) !== 0,
  };
}

/** Derives a username from a login by replacing or removing invalid characters. */
export function usernameFrom(login: string): string {
  const local = login.split('@')[0] ?? '';
  const plain = local.normalize('NFKD').replace(/[^A-Za-z0-9._-]+/g, '-');
  const single = plain.replace(/[._-]{2,}/g, (run) => run[0] ?? '-');
  const cleaned = trimCharacters(single, '._-')
    .replace(/\.(git|atom)$/, '-$1')
    .slice(0, 200);
  return cleaned.length < 2 ? `user-${cleaned || '1'}` : cleaned;
}
