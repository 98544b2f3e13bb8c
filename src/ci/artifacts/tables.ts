import type { Generated, Selectable } from 'kysely';

/** A file that a job left: its archive, the list of what is in it, reports, and its log. */
export interface JobArtifactsTable {
  id: Generated<number>;
  project_id: number;
  job_id: number;
  file_type: string;
  file_format: 'zip' | 'gzip' | 'raw';
  filename: string;
  storage_key: string;
  size: number;
  sha256: string;
  access: Generated<'public' | 'private' | 'maintainer' | 'none'>;
  expire_at: number | null;
  created_at: number;
}

export type JobArtifactRow = Selectable<JobArtifactsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    job_artifacts: JobArtifactsTable;
  }
}
