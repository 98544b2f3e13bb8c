import type { Area } from '../../access/area.ts';
import { passwordDirectories } from './sign-in.ts';
import { syncAllUsers } from './user-sync.ts';

const longestSync = 2 * 3_600_000;

/** Users from LDAP directories. */
export const directory: Area = {
  name: 'directory',
  jobs: (services) => {
    const { queue, directories, config } = services;
    if (directories.length === 0) return;
    queue.recurring(
      'directory.users',
      { everyMs: config.ldapUserSync },
      ({ signal }) => syncAllUsers(services, signal),
      { timeoutMs: longestSync },
    );
  },
  contributes: { 'passwords.directories': passwordDirectories },
};
