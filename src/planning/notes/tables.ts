import type { Generated, Selectable } from 'kysely';

export interface NotesTable {
  id: Generated<number>;
  noteable_type: string;
  /** Null for commits, which are known by `commit_id`. */
  noteable_id: number | null;
  commit_id: string | null;
  project_id: number | null;
  namespace_id: number | null;
  /** Null for a plain comment, which stands alone until somebody replies to it. */
  type: 'DiscussionNote' | 'DiffNote' | null;
  /** Forty hexadecimal digits; notes of one thread share it. */
  discussion_id: string;
  author_id: number;
  body: string;
  system: Generated<number>;
  internal: Generated<number>;
  /** Where in a diff it stands, as JSON; the original is where it was written. */
  position: Generated<string | null>;
  original_position: Generated<string | null>;
  line_code: Generated<string | null>;
  resolved_at: Generated<number | null>;
  resolved_by_id: Generated<number | null>;
  updated_by_id: Generated<number | null>;
  imported_from: Generated<string>;
  created_at: number;
  updated_at: number;
}

export type NoteRow = Selectable<NotesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    notes: NotesTable;
  }
}
