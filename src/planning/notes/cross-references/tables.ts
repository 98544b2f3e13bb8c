export interface CrossReferencesTable {
  note_id: number;
  target_type: string;
  target_id: number;
  source_type: string;
  /** Null for commits, which are identified by the next two columns. */
  source_id: number | null;
  source_project_id: number | null;
  source_commit: string | null;
}

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    cross_references: CrossReferencesTable;
  }
}
