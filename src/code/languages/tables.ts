export interface ProjectLanguagesTable {
  project_id: number;
  name: string;
  bytes: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    project_languages: ProjectLanguagesTable;
  }
}
