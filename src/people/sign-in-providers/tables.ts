/** Digests of flows and assertions that were used, so that each is accepted only once. */
export interface SpentSignInsTable {
  digest: string;
  expires_at: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    spent_sign_ins: SpentSignInsTable;
  }
}
