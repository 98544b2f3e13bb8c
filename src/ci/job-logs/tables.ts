/** A part of the log of a job that runs; the whole is put into one file when the job is over. */
export interface JobLogChunksTable {
  job_id: number;
  /** Where it begins in the log, in bytes. */
  start: number;
  size: number;
  bytes: Uint8Array;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    job_log_chunks: JobLogChunksTable;
  }
}
