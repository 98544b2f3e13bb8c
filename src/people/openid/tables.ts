/** Sign-ins that have been answered: none is answered twice. */
export interface OpenidSpentFlowsTable {
  digest: string;
  expires_at: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    openid_spent_flows: OpenidSpentFlowsTable;
  }
}
