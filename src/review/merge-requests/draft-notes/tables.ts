import type { Generated, Selectable } from 'kysely';

export interface DraftNotesTable {
  id: Generated<number>;
  merge_request_id: number;
  author_id: number;
  note: string;
  /** The thread that the draft replies to; null if it starts one. */
  discussion_id: string | null;
  /** Whether publishing resolves the thread. */
  resolve_discussion: Generated<number>;
  commit_id: string | null;
  /** Position in the diff, as JSON. */
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
