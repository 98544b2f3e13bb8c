import type { Generated, Selectable } from 'kysely';

export interface ReleasesTable {
  id: Generated<number>;
  project_id: number;
  tag: string;
  name: string;
  description: string | null;
  /** The commit of the tag when the release was created. */
  sha: string | null;
  author_id: number | null;
  released_at: number;
  created_at: number;
  updated_at: number;
}

export const linkTypes = ['other', 'runbook', 'image', 'package'] as const;
export type LinkType = (typeof linkTypes)[number];

export interface ReleaseLinksTable {
  id: Generated<number>;
  release_id: number;
  name: string;
  url: string;
  filepath: string | null;
  link_type: LinkType;
  created_at: number;
}

export interface ReleaseEvidencesTable {
  id: Generated<number>;
  release_id: number;
  sha: string;
  /** JSON. */
  summary: string;
  created_at: number;
}

export type ReleaseRow = Selectable<ReleasesTable>;
export type ReleaseLinkRow = Selectable<ReleaseLinksTable>;
export type ReleaseEvidenceRow = Selectable<ReleaseEvidencesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    releases: ReleasesTable;
    release_links: ReleaseLinksTable;
    release_evidences: ReleaseEvidencesTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A release was created, updated or deleted; for `delete` with its last row. */
    'release.changed': { readonly action: 'create' | 'update' | 'delete'; readonly release: ReleaseRow };
  }
}
