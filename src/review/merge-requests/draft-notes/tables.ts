import type { Generated, Selectable } from 'kysely';

export interface DraftNotesTable {
  id: Generated<number>;
  merge_request_id: number;
  author_id: number;
  note: string;
  /** The thread that it replies to; null where it begins one. */
  discussion_id: string | null;
  /** The thread is to be resolved with it. */
  resolve_discussion: Generated<number>;
  commit_id: string | null;
  /** Where in the diff it stands, as JSON. */
  position: string | null;
  line_code: string | null;
  created_at: number;
  updated_at: number;
}

export type DraftNoteRow = Selectable<DraftNotesTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    draft_notes: DraftNotesTable;
  }
}
