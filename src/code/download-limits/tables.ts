import type { Namespace, User } from '../../access/tables.ts';

/** The last time that somebody downloaded a project, where a limit counts it. */
export interface ProjectDownloadsTable {
  /** The top-level group whose limit it is; 0 for the limit of the instance. */
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
    /** Somebody has downloaded more projects than a group, or the instance where there is none, allows. */
    'download-limit.exceeded': {
      readonly user: User;
      readonly group: Namespace | null;
      readonly limit: number;
      readonly seconds: number;
      readonly banned: boolean;
      /** Who is to be told. */
      readonly alert: readonly number[];
    };
  }
}
