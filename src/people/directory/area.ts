import type { Area } from '../../access/area.ts';
import { passwordDirectory } from './sign-in.ts';
import { syncUsers } from './user-sync.ts';

const longestSync = 2 * 3_600_000;

/** People whose accounts are kept in an LDAP directory. */
export const directory: Area = {
  name: 'directory',
  jobs: (services) => {
    const { queue, directory: opened, config } = services;
    if (!opened) return;
    queue.recurring(
      'directory.users',
      { everyMs: config.ldapUserSync },
      ({ signal }) => syncUsers(services, opened, signal),
      { timeoutMs: longestSync },
    );
  },
  contributes: { 'passwords.directory': passwordDirectory },
};
