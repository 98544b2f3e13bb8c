import type { Generated, Selectable } from 'kysely';

/** A single-segment name by which git finds a project. */
export interface ProjectAliasesTable {
  id: Generated<number>;
  project_id: number;
  name: string;
}

export type ProjectAliasRow = Selectable<ProjectAliasesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    project_aliases: ProjectAliasesTable;
  }
}
