import type { Generated } from 'kysely';
import type { MergeRequestRow } from '../tables.ts';

export interface DeploymentMergeRequestsTable {
  deployment_id: number;
  merge_request_id: number;
  /** Maintained by triggers, for lists. */
  environment_id: Generated<number | null>;
  request_state: Generated<MergeRequestRow['state']>;
}

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    deployment_merge_requests: DeploymentMergeRequestsTable;
  }
}
