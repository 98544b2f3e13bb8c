import type { Namespace, User } from '../../access/tables.ts';

/** The last download of a project by a user, recorded where a limit applies. */
export interface ProjectDownloadsTable {
  /** The top-level group of the limit; 0 for the instance limit. */
  scope: number;
  user_id: number;
  project_id: number;
  last_at: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    project_downloads: ProjectDownloadsTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A user exceeded the download limit of a group, or of the instance if `group` is null. */
    'download-limit.exceeded': {
      readonly user: User;
      readonly group: Namespace | null;
      readonly limit: number;
      readonly seconds: number;
      readonly banned: boolean;
      /** IDs of the users to notify. */
      readonly alert: readonly number[];
    };
  }
}
