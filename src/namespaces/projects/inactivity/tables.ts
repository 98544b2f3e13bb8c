/** When the people of a project were told that it will be deleted unless something happens in it. */
export interface InactiveProjectWarningsTable {
  project_id: number;
  warned_at: number;
}

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    inactive_project_warnings: InactiveProjectWarningsTable;
  }
}
