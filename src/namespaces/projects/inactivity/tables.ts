/** When the members of an inactive project were warned about its deletion. */
export interface InactiveProjectWarningsTable {
  project_id: number;
  warned_at: number;
}

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    inactive_project_warnings: InactiveProjectWarningsTable;
  }
}
