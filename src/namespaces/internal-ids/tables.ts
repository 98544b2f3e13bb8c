/** The last number assigned in a project or group, per kind of record. */
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
