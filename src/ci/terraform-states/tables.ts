import type { Generated, Selectable } from 'kysely';

export interface TerraformStatesTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  /** Who holds the lock says this whenever they write; null: nobody does. */
  lock_id: string | null;
  /** What they said of themselves, as JSON. */
  lock_info: string | null;
  locked_by_id: number | null;
  locked_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface TerraformStateVersionsTable {
  id: Generated<number>;
  state_id: number;
  /** Terraform counts its states itself. */
  serial: number;
  /** Sealed: states hold passwords. */
  storage_key: string;
  /** In bytes, and SHA-256 in hex, of what was sent. */
  size: number;
  sha256: string;
  created_by_id: number | null;
  created_at: number;
}

export type StateRow = Selectable<TerraformStatesTable>;
export type VersionRow = Selectable<TerraformStateVersionsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    terraform_states: TerraformStatesTable;
    terraform_state_versions: TerraformStateVersionsTable;
  }
}
