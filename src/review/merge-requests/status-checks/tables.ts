import type { Generated, Selectable } from 'kysely';
import type { CheckStatus } from './rules.ts';

/** External services that check the merge requests of a project. */
export interface ExternalStatusChecksTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  external_url: string;
  /** Encrypted secret that requests are signed with. */
  sealed_secret: string | null;
  created_at: number;
  updated_at: number;
}

/** Protected branches that a check applies to; a check without any applies to all branches. */
export interface ExternalStatusCheckBranchesTable {
  check_id: number;
  branch_id: number;
}

/** The latest response of a check for a head of a merge request. */
export interface StatusCheckResponsesTable {
  id: Generated<number>;
  merge_request_id: number;
  check_id: number;
  sha: string;
  status: CheckStatus;
  answered_at: number;
}

export type CheckRow = Selectable<ExternalStatusChecksTable>;
export type ResponseRow = Selectable<StatusCheckResponsesTable>;

/** A check with the protected branches it applies to. */
export interface Check {
  readonly row: CheckRow;
  readonly branches: readonly { readonly id: number; readonly name: string }[];
}

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    external_status_checks: ExternalStatusChecksTable;
    external_status_check_branches: ExternalStatusCheckBranchesTable;
    status_check_responses: StatusCheckResponsesTable;
  }
}
