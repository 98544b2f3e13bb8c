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
  /** Somebody has said that it stays. */
  kept: Generated<number>;
  created_at: number;
}

/** What a job has reported in a `dotenv` file: variables of the jobs after it. */
export interface JobDotenvVariablesTable {
  job_id: number;
  key: string;
  /** Encrypted. */
  value: string;
}

/** Files whose rows are gone: they are removed soon after, whatever happens in between. */
export interface DeletedArtifactFilesTable {
  storage_key: string;
}

export type JobArtifactRow = Selectable<JobArtifactsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    job_artifacts: JobArtifactsTable;
    job_dotenv_variables: JobDotenvVariablesTable;
    deleted_artifact_files: DeletedArtifactFilesTable;
  }
}
