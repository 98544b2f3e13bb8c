import { certificateFile } from './certificate-file.ts';
import { BadValue, list, secret, text, toggle, type Values } from './setting.ts';

/** A directory in which people and their groups are kept. */
export const oneDirectory = {
  ldapUrl: text(
    'HEARTH_LDAP_URL',
    undefined,
    'Directory (LDAP) with whose accounts people sign in, as ldaps://host.',
    ldap,
  ),
  ldapStartTls: toggle('HEARTH_LDAP_START_TLS', 'Encrypt the connection to an ldap:// address by STARTTLS.'),
  ldapCa: text(
    'HEARTH_LDAP_CA',
    undefined,
    "File of authorities (PEM) for the directory's certificate.",
    certificateFile,
  ),
  ldapBindDn: text('HEARTH_LDAP_BIND_DN', undefined, 'Account that asks the directory; without it, anonymously.'),
  ldapPassword: secret('HEARTH_LDAP_PASSWORD', 'Password of that account.'),
  ldapBase: text('HEARTH_LDAP_BASE', '', 'Where people are, such as ou=people,dc=example,dc=com.'),
  ldapUid: text(
    'HEARTH_LDAP_UID',
    'uid',
    'Attribute that people sign in with; sAMAccountName for Active Directory.',
    attribute,
  ),
  ldapUserFilter: text('HEARTH_LDAP_USER_FILTER', undefined, 'Filter that people must match as well.'),
  ldapGroupBase: text('HEARTH_LDAP_GROUP_BASE', undefined, 'Where groups are; without it, no groups are synchronized.'),
  ldapAdminGroup: text('HEARTH_LDAP_ADMIN_GROUP', undefined, 'Group (cn) whose members are administrators.'),
  ldapExternalGroups: list('HEARTH_LDAP_EXTERNAL_GROUPS', [], 'Groups (cn) whose members are external users.'),
  ldapActiveDirectory: toggle('HEARTH_LDAP_ACTIVE_DIRECTORY', 'The directory is an Active Directory.'),
  ldapLinkByEmail: toggle(
    'HEARTH_LDAP_LINK_BY_EMAIL',
    'Let the directory take over accounts that have the address it tells.',
  ),
  ldapProvider: text(
    'HEARTH_LDAP_PROVIDER',
    'ldapmain',
    'What the directory is called in identities and group links.',
    provider,
  ),
};

export type OneDirectory = Readonly<Values<typeof oneDirectory>>;

/** Mistakes that no setting of a directory shows by itself, each with the setting that has it. */
export function mistakesOf(settings: OneDirectory): [keyof OneDirectory, string][] {
  const { ldapUrl, ldapStartTls, ldapBase } = settings;
  const found: [keyof OneDirectory, string][] = [];
  if (ldapStartTls && ldapUrl?.startsWith('ldaps:')) {
    found.push(['ldapStartTls', 'an ldaps:// address is encrypted from the start']);
  }
  if (ldapUrl !== undefined && ldapBase === '') found.push(['ldapBase', 'needed beside the address']);
  return found;
}

function ldap(given: string): string {
  const url = URL.parse(given);
  const bare = url !== null && url.username === '' && /^\/?$/.test(url.pathname) && url.search === '';
  if (!url?.hostname || !bare || !/^ldaps?:$/.test(url.protocol)) {
    throw new BadValue('expected an address such as ldaps://directory.example.com');
  }
  return given;
}

function attribute(given: string): string {
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(given)) throw new BadValue('expected the name of an attribute');
  return given;
}

function provider(given: string): string {
  if (!/^ldap[a-z0-9_]*$/.test(given)) throw new BadValue('expected a name such as ldapmain');
  return given;
}
