import type { Generated, Selectable } from 'kysely';
import type { Answer } from './rules.ts';

/** A program elsewhere that is asked about the merge requests of a project. */
export interface ExternalStatusChecksTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  external_url: string;
  /** What requests to it are signed with. */
  sealed_secret: string | null;
  created_at: number;
  updated_at: number;
}

/** The protected branches that a check is for; one without any is for all branches. */
export interface ExternalStatusCheckBranchesTable {
  check_id: number;
  branch_id: number;
}

/** What a check last said of one head of a merge request. */
export interface StatusCheckResponsesTable {
  id: Generated<number>;
  merge_request_id: number;
  check_id: number;
  sha: string;
  status: Answer;
  answered_at: number;
}

export type CheckRow = Selectable<ExternalStatusChecksTable>;
export type ResponseRow = Selectable<StatusCheckResponsesTable>;

/** A check with the protected branches that it is for. */
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
