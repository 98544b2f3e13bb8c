import { certificateFile } from './certificate-file.ts';
import { BadValue, list, secret, text, toggle, type Values } from './setting.ts';

/** Settings of one LDAP directory. */
export const oneDirectory = {
  ldapUrl: text('HEARTH_LDAP_URL', undefined, 'LDAP server for sign-in, as ldaps://host.', ldap),
  ldapStartTls: toggle('HEARTH_LDAP_START_TLS', 'Encrypt connections to an ldap:// URL with STARTTLS.'),
  ldapCa: text('HEARTH_LDAP_CA', undefined, 'CA certificates (PEM file) for the LDAP server.', certificateFile),
  ldapBindDn: text('HEARTH_LDAP_BIND_DN', undefined, 'DN to bind as for searches; anonymous by default.'),
  ldapPassword: secret('HEARTH_LDAP_PASSWORD', 'Password for the bind DN.'),
  ldapBase: text('HEARTH_LDAP_BASE', '', 'Search base for users, such as ou=people,dc=example,dc=com.'),
  ldapUid: text('HEARTH_LDAP_UID', 'uid', 'Username attribute; sAMAccountName for Active Directory.', attribute),
  ldapUserFilter: text('HEARTH_LDAP_USER_FILTER', undefined, 'Additional filter for users.'),
  ldapGroupBase: text(
    'HEARTH_LDAP_GROUP_BASE',
    undefined,
    'Search base for groups; without it, groups are not synchronized.',
  ),
  ldapAdminGroup: text('HEARTH_LDAP_ADMIN_GROUP', undefined, 'CN of the group whose members are administrators.'),
  ldapExternalGroups: list('HEARTH_LDAP_EXTERNAL_GROUPS', [], 'CNs of the groups whose members are external users.'),
  ldapActiveDirectory: toggle('HEARTH_LDAP_ACTIVE_DIRECTORY', 'The server is an Active Directory.'),
  ldapLinkByEmail: toggle(
    'HEARTH_LDAP_LINK_BY_EMAIL',
    'Link LDAP users to existing accounts with the same email address.',
  ),
  ldapProvider: text('HEARTH_LDAP_PROVIDER', 'ldapmain', 'Provider name in identities and group links.', provider),
};

export type OneDirectory = Readonly<Values<typeof oneDirectory>>;

/** Returns mistakes in the combination of directory settings, each with the setting it concerns. */
export function directoryMistakes(settings: OneDirectory): [keyof OneDirectory, string][] {
  const { ldapUrl, ldapStartTls, ldapBase } = settings;
  const found: [keyof OneDirectory, string][] = [];
  if (ldapStartTls && ldapUrl?.startsWith('ldaps:')) {
    found.push(['ldapStartTls', 'an ldaps:// address is encrypted from the start']);
  }
  if (ldapUrl !== undefined && ldapBase === '') found.push(['ldapBase', 'needed with the URL']);
  return found;
}

function ldap(value: string): string {
  const url = URL.parse(value);
  const bare = url !== null && url.username === '' && /^\/?$/.test(url.pathname) && url.search === '';
  if (!url?.hostname || !bare || !/^ldaps?:$/.test(url.protocol)) {
    throw new BadValue('expected an address such as ldaps://directory.example.com');
  }
  return value;
}

function attribute(value: string): string {
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(value)) throw new BadValue('expected the name of an attribute');
  return value;
}

function provider(value: string): string {
  if (!/^ldap[a-z0-9_]*$/.test(value)) throw new BadValue('expected a name such as ldapmain');
  return value;
}
