export interface StarsTable {
  user_id: number;
  project_id: number;
  created_at: number;
}

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    stars: StarsTable;
  }
}
