import type { Area } from '../../access/area.ts';
import { ldapSyncRoutes } from './routes.ts';
import { requestAllSyncs, requestSync, syncGroup } from './service.ts';

const longestRun = 3_600_000;

/** Synchronizes group members with LDAP directories. */
export const ldapSync: Area = {
  name: 'LDAP sync',
  routes: ldapSyncRoutes,
  jobs: (services) => {
    const { queue, directories, config } = services;
    if (directories.length === 0) return;
    const options = { timeoutMs: longestRun, concurrency: 2 };
    queue.defineJob('ldap.sync-group', ({ payload }) => syncGroup(services, payload.groupId), options);
    queue.defineJob('ldap.sync-groups', ({ signal }) => requestAllSyncs(services, signal));
    queue.recurring('ldap.groups', { everyMs: config.ldapGroupSync }, ({ signal }) =>
      requestAllSyncs(services, signal),
    );
  },
  on: {
    // The directory may already have listed the user in linked groups before the first sign-in.
    'identity.set': async ({ queue, directories }, trx, { provider }) => {
      if (!directories.some(({ settings }) => settings.provider === provider)) return;
      await queue.enqueue(trx, 'ldap.sync-groups', null, { dedupeKey: 'all' });
    },
    'ldap_group_links.changed': async (services, trx, { groupId }) => {
      if (services.directories.length > 0) await requestSync(services, trx, groupId);
    },
  },
};
