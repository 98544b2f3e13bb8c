/** The pipeline of another project that a bridge mirrors (`needs:pipeline`). */
export interface MirroredPipelinesTable {
  job_id: number;
  pipeline_id: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    mirrored_pipelines: MirroredPipelinesTable;
  }
}
