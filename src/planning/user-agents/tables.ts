import type { Generated } from 'kysely';

/** One of the numbers is there: what was opened. */
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
