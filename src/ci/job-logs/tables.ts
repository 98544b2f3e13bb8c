/** A chunk of the log of a running job. All chunks are moved into one file when the job completes. */
export interface JobLogChunksTable {
  job_id: number;
  /** Byte offset in the log. */
  start: number;
  size: number;
  bytes: Uint8Array;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    job_log_chunks: JobLogChunksTable;
  }
}
