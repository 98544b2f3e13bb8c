import type { Generated, Selectable } from 'kysely';

/** So far only what outside services report makes pipelines, of source `external`. */
export interface PipelinesTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  sha: string;
  ref: string;
  source: string;
  status: string;
  user_id: number | null;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
}

export type PipelineRow = Selectable<PipelinesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    pipelines: PipelinesTable;
  }
}
