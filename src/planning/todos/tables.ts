import type { Generated, Selectable } from 'kysely';

/** Reason for a to-do item. */
export type TodoAction =
  | 'assigned'
  | 'mentioned'
  | 'directly_addressed'
  | 'build_failed'
  | 'marked'
  | 'approval_required'
  | 'unmergeable'
  | 'review_requested'
  | 'review_submitted'
  | 'member_access_requested'
  | 'merge_train_removed';

export interface TodosTable {
  id: Generated<number>;
  user_id: number;
  author_id: number;
  project_id: number | null;
  namespace_id: number | null;
  target_type: string;
  target_id: number | null;
  commit_id: string | null;
  note_id: number | null;
  action: TodoAction;
  state: Generated<'pending' | 'done'>;
  created_at: number;
  updated_at: number;
}

export type TodoRow = Selectable<TodosTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    todos: TodosTable;
  }
}
