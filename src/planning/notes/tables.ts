import type { Generated, Selectable } from 'kysely';

export interface NotesTable {
  id: Generated<number>;
  noteable_type: string;
  noteable_id: number | null;
  /** The commit that it is about; on a merge request one of its commits. */
  commit_id: string | null;
  project_id: number | null;
  namespace_id: number | null;
  /**
   * Null for a plain comment, which stands alone until somebody replies to it. `LegacyDiffNote` is one on a line of a
   * commit that was named by its number alone: clients are not shown its position.
   */
  type: 'DiscussionNote' | 'DiffNote' | 'LegacyDiffNote' | null;
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
  /** Where its line was changed, as JSON: it is outdated from then on, and stays where it was. */
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
