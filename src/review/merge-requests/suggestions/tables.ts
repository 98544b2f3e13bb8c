import type { Generated, Selectable } from 'kysely';

export interface SuggestionsTable {
  id: Generated<number>;
  note_id: number;
  /** Which of those of its note it is, from 0 on. */
  relative_order: number;
  lines_above: number;
  lines_below: number;
  to_content: string;
  /** The commit that it was applied by. */
  commit_id: Generated<string | null>;
}

/** A suggestion that a commit applies, once a branch has it. */
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
