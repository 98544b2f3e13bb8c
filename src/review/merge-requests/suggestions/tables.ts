import type { Generated, Selectable } from 'kysely';

export interface SuggestionsTable {
  id: Generated<number>;
  note_id: number;
  /** Position among the suggestions of the note, starting at 0. */
  relative_order: number;
  lines_above: number;
  lines_below: number;
  to_content: string;
  /** The commit that applied the suggestion. */
  commit_id: Generated<string | null>;
}

/** Suggestions that a commit applies once it is pushed. */
export interface SuggestionCommitsTable {
  sha: string;
  suggestion_id: number;
}

export type SuggestionRow = Selectable<SuggestionsTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    suggestions: SuggestionsTable;
    suggestion_commits: SuggestionCommitsTable;
  }
}
