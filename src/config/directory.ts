import { directoryFile } from './directory-file.ts';
import { oneDirectory } from './one-directory.ts';
import { duration } from './setting.ts';

/** The directories in which people and their groups are kept, if there are any. */
export const directory = {
  ...oneDirectory,
  ldapDirectories: directoryFile(
    'HEARTH_LDAP_DIRECTORIES',
    'File (JSON) of further directories: a list of objects with the names above, such as `url`, `bind_dn` and `provider`.',
  ),
  ldapGroupSync: duration('HEARTH_LDAP_GROUP_SYNC', '1h', 'How often groups are synchronized.'),
  ldapUserSync: duration('HEARTH_LDAP_USER_SYNC', '1d', 'How often it is looked who is still in the directory.'),
};
