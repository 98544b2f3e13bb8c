export interface DeploymentMergeRequestsTable {
  deployment_id: number;
  merge_request_id: number;
}

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    deployment_merge_requests: DeploymentMergeRequestsTable;
  }
}
