import type { Generated, Selectable } from 'kysely';

/** A file stored for a job: its archive, the archive's metadata, a report or its log. */
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
  /** Set when a user keeps the artifact: it never expires. */
  kept: Generated<number>;
  created_at: number;
}

/** Variables from the `dotenv` report of a job, passed to later jobs. */
export interface JobDotenvVariablesTable {
  job_id: number;
  key: string;
  /** Encrypted. */
  value: string;
}

/** Files of deleted artifacts, to be removed from the storage. Survives a crash between both steps. */
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
