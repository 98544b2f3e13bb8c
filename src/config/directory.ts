import { entriesFile } from './entries-file.ts';
import { directoryMistakes, type OneDirectory, oneDirectory } from './one-directory.ts';
import { duration } from './setting.ts';

const kind = {
  table: oneDirectory,
  prefix: 'HEARTH_LDAP_',
  one: 'directory',
  many: 'directories',
  needed: ['url', 'provider'],
  mistakesOf: directoryMistakes,
  nameOf: ({ ldapProvider }: OneDirectory) => ldapProvider,
};

/** LDAP directories with users and groups. */
export const directory = {
  ...oneDirectory,
  ldapDirectories: entriesFile(
    'HEARTH_LDAP_DIRECTORIES',
    'JSON file with further directories: a list of objects with the names above, such as `url`, `bind_dn` and `provider`.',
    kind,
  ),
  ldapGroupSync: duration('HEARTH_LDAP_GROUP_SYNC', '1h', 'How often group memberships are synchronized.'),
  ldapUserSync: duration('HEARTH_LDAP_USER_SYNC', '1d', 'How often accounts are checked against the directory.'),
};
