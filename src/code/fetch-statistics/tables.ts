export interface ProjectFetchesTable {
  project_id: number;
  day: number;
  count: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    project_fetches: ProjectFetchesTable;
  }
}
