import type { Generated, Selectable } from 'kysely';
import type { Project } from '../../access/tables.ts';

export interface SnippetsTable {
  id: Generated<number>;
  /** Null for a personal one. */
  project_id: number | null;
  author_id: number;
  title: string;
  description: string | null;
  visibility: number;
  /** The key of its repository, which is there before the row and goes after it. */
  repository: string;
  /** The paths of its files, as a JSON list: lists of snippets show them. */
  files: string;
  /** Measured after its files have changed. */
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
    /** A snippet was made, changed or deleted; the project is that of a project's snippet. */
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
    /** The repositories of snippets that are gone, or never came to be. */
    'snippets.clear': { repositories: string[] };
    'snippets.measure': { id: number };
  }
}
