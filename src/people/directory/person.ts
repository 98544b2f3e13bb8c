import type { DirectoryEntry } from '../../platform/directory/directory.ts';
import { normalizeDn } from '../../platform/directory/dn.ts';
import { trimCharacters } from '../../platform/trim.ts';

/** What a directory says of somebody. */
export interface DirectoryPerson {
  /** In one spelling: what identities are stored by. */
  readonly dn: string;
  readonly login: string;
  readonly name: string;
  readonly email: string | undefined;
  /** Switched off in the directory itself. */
  readonly disabled: boolean;
}

const bitOfDisabled = 2;

/** The attributes of people that are of interest. */
export function personAttributes(uid: string): string[] {
  return [uid, 'cn', 'displayName', 'givenName', 'sn', 'mail', 'email', 'userPrincipalName', 'userAccountControl'];
}

/** Reads an entry; undefined where it has no name that could be kept. */
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

/** A user name made of what people sign in with; what cannot stand in an address becomes a dash or goes. */
export function usernameFrom(login: string): string {
  const local = login.split('@')[0] ?? '';
  const plain = local.normalize('NFKD').replace(/[^A-Za-z0-9._-]+/g, '-');
  const single = plain.replace(/[._-]{2,}/g, (run) => run[0] ?? '-');
  const cleaned = trimCharacters(single, '._-')
    .replace(/\.(git|atom)$/, '-$1')
    .slice(0, 200);
  return cleaned.length < 2 ? `user-${cleaned || '1'}` : cleaned;
}
