import type { Generated, Selectable } from 'kysely';

/** What a board shows; only groups have epic boards. */
export type BoardKind = 'issues' | 'epics';

export interface BoardsTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  kind: Generated<BoardKind>;
  name: string;
  hide_backlog_list: Generated<number>;
  hide_closed_list: Generated<number>;
  /** Filters for the issues of the board. */
  milestone_id: Generated<number | null>;
  assignee_id: Generated<number | null>;
  weight: Generated<number | null>;
  created_at: number;
  updated_at: number;
}

export interface BoardLabelsTable {
  board_id: number;
  label_id: number;
}

export interface BoardListsTable {
  id: Generated<number>;
  board_id: number;
  /** Exactly one of these four is set: the criterion of the list. */
  label_id: Generated<number | null>;
  milestone_id: Generated<number | null>;
  assignee_id: Generated<number | null>;
  iteration_id: Generated<number | null>;
  position: number;
  max_issue_count: Generated<number>;
  max_issue_weight: Generated<number>;
  limit_metric: Generated<string | null>;
  created_at: number;
  updated_at: number;
}

export type BoardRow = Selectable<BoardsTable>;
export type BoardListRow = Selectable<BoardListsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    boards: BoardsTable;
    board_labels: BoardLabelsTable;
    board_lists: BoardListsTable;
  }
}
