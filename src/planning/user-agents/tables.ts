import type { Generated } from 'kysely';

/** Exactly one of the two IDs is set: that of the created item. */
export interface UserAgentDetailsTable {
  issue_id: Generated<number | null>;
  snippet_id: Generated<number | null>;
  user_agent: string;
  ip_address: string;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    user_agent_details: UserAgentDetailsTable;
  }
}
