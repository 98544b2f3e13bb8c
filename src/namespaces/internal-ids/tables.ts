/** The last number given out in a project or group, by what is numbered. */
export interface InternalIdsTable {
  project_id: number | null;
  namespace_id: number | null;
  kind: string;
  last_value: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    internal_ids: InternalIdsTable;
  }
}
