import type { Generated, Selectable } from 'kysely';
import type { OwnerColumns } from '../../access/project-or-group.ts';

/** What a page is besides its file: a number. */
export interface WikiPagesTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  slug: string;
  created_at: number;
}

export type WikiPageRow = Selectable<WikiPagesTable>;

/** A page as a commit left it. */
export interface PageChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly owner: OwnerColumns;
  readonly actorId: number;
  readonly slug: string;
  readonly title: string;
  readonly format: string;
  readonly content: string;
  readonly message: string;
  /** The commit. */
  readonly version: string;
}

/** The branch of a wiki that somebody's push has moved. */
export interface PushedWiki {
  readonly owner: OwnerColumns;
  readonly userId: number;
  readonly old: string | null;
  readonly new: string;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    wiki_pages: WikiPagesTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A page of a wiki was written, changed or deleted. */
    'wiki-page.changed': PageChange;
  }
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** The repository of a wiki whose project or group is gone. */
    'wikis.clear': { repository: string };
    'wikis.pushed': PushedWiki;
  }
}
