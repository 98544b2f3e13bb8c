import type { Generated, Selectable } from 'kysely';

export interface NotesTable {
  id: Generated<number>;
  noteable_type: string;
  noteable_id: number | null;
  /** The commit that the note is about; for a merge request, one of its commits. */
  commit_id: string | null;
  project_id: number | null;
  namespace_id: number | null;
  /**
   * Null for an individual note, until someone replies to it. `LegacyDiffNote` is a note on a line of a commit that was
   * identified by the line number only; its position is not returned to clients.
   */
  type: 'DiscussionNote' | 'DiffNote' | 'LegacyDiffNote' | null;
  /** Forty hexadecimal digits; shared by the notes of a thread. */
  discussion_id: string;
  author_id: number;
  body: string;
  system: Generated<number>;
  internal: Generated<number>;
  /** Position in the current diff, as JSON; `original_position` is where the note was created. */
  position: Generated<string | null>;
  original_position: Generated<string | null>;
  line_code: Generated<string | null>;
  /** Where the line was changed, as JSON. From then on the note is outdated and keeps its position. */
  change_position: Generated<string | null>;
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
