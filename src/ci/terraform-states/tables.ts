import type { Generated, Selectable } from 'kysely';

export interface TerraformStatesTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  /** ID of the lock, which its holder sends with every write; null if unlocked. */
  lock_id: string | null;
  /** Lock details sent by the holder, as JSON. */
  lock_info: string | null;
  locked_by_id: number | null;
  locked_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface TerraformStateVersionsTable {
  id: Generated<number>;
  state_id: number;
  /** Assigned by Terraform. */
  serial: number;
  /** The file is encrypted, because states contain passwords. */
  storage_key: string;
  /** Size in bytes and SHA-256 in hex of the uploaded state. */
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
