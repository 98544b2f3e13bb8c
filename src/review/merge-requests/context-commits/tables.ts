/** Commits that help to understand a merge request without being part of it. */
export interface MergeRequestContextCommitsTable {
  merge_request_id: number;
  sha: string;
  created_at: number;
}

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    merge_request_context_commits: MergeRequestContextCommitsTable;
  }
}
