import type { Selectable } from 'kysely';

export type SyncStatus = 'ready' | 'pending' | 'started' | 'failed';

/** How synchronizing the members of a group with the directory went; none where it was never asked for. */
export interface LdapGroupSyncsTable {
  namespace_id: number;
  status: SyncStatus;
  error: string | null;
  last_sync_at: number | null;
  last_update_at: number | null;
  last_successful_update_at: number | null;
}

export type LdapGroupSyncRow = Selectable<LdapGroupSyncsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    ldap_group_syncs: LdapGroupSyncsTable;
  }
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ldap.sync-group': { groupId: number };
    /** All groups that are linked to the directory. */
    'ldap.sync-groups': null;
  }
}
