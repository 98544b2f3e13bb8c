import type { Generated, Selectable } from 'kysely';
import type { Project } from '../../access/tables.ts';

export interface SnippetsTable {
  id: Generated<number>;
  /** Null for a personal snippet. */
  project_id: number | null;
  author_id: number;
  title: string;
  description: string | null;
  visibility: number;
  /** Key of the repository, which is created before the row and deleted after it. */
  repository: string;
  /** Paths of the files, as a JSON array, for lists. */
  files: string;
  /** Measured after changes to the files. */
  repository_size: Generated<number>;
  imported_from: Generated<string>;
  created_at: number;
  updated_at: number;
}

export type SnippetRow = Selectable<SnippetsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    snippets: SnippetsTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A snippet was created, updated or deleted; `project` is set for project snippets. */
    'snippet.changed': {
      readonly action: 'create' | 'update' | 'delete';
      readonly actorId: number;
      readonly snippet: SnippetRow;
      readonly project: Project | null;
    };
  }
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Repositories of deleted snippets, or of snippets that were never inserted. */
    'snippets.clear': { repositories: string[] };
    'snippets.measure': { id: number };
  }
}
