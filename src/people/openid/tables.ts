/** Flows that have been used, so that each is accepted only once. */
export interface OpenidSpentFlowsTable {
  digest: string;
  expires_at: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    openid_spent_flows: OpenidSpentFlowsTable;
  }
}
