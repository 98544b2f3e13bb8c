export interface MilestoneReleasesTable {
  release_id: number;
  milestone_id: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    milestone_releases: MilestoneReleasesTable;
  }
}
