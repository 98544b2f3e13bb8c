import type { Generated, Insertable, Selectable } from 'kysely';

/** A token whose holders can start pipelines on behalf of its owner. */
export interface PipelineTriggersTable {
  id: Generated<number>;
  project_id: number;
  owner_id: number;
  description: string | null;
  token_digest: string;
  /** Encrypted rather than hashed, because the owner can view it again. */
  token: string;
  expires_at: number | null;
  last_used_at: number | null;
  created_at: number;
  updated_at: number;
}

export type TriggerRow = Selectable<PipelineTriggersTable>;
export type NewTriggerRow = Insertable<PipelineTriggersTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    pipeline_triggers: PipelineTriggersTable;
  }
}
