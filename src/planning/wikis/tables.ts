import type { Generated, Selectable } from 'kysely';
import type { OwnerColumns } from '../../access/project-or-group.ts';

/** IDs of wiki pages, whose content is in git. */
export interface WikiPagesTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  slug: string;
  created_at: number;
}

export type WikiPageRow = Selectable<WikiPagesTable>;

/** State of a page after a commit. */
export interface PageChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly owner: OwnerColumns;
  readonly actorId: number;
  readonly slug: string;
  readonly title: string;
  readonly format: string;
  readonly content: string;
  readonly message: string;
  /** The commit ID. */
  readonly version: string;
}

/** A push to the branch of a wiki. */
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
    /** A wiki page was created, updated or deleted. */
    'wiki-page.changed': PageChange;
  }
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Wiki repository of a deleted project or group. */
    'wikis.clear': { repository: string };
    'wikis.pushed': PushedWiki;
  }
}
