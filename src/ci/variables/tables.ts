import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

/** A variable of a project or group, or of the instance if neither is set. */
export interface CiVariablesTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  key: string;
  /** Encrypted. */
  value: string;
  variable_type: 'env_var' | 'file';
  protected: number;
  masked: number;
  /** The value is never returned by the API. */
  hidden: number;
  raw: number;
  /** Environment name, where `*` matches any text. */
  environment_scope: string;
  description: string | null;
  /** Null for variables of unknown age. */
  updated_at: Generated<number | null>;
}

export type VariableRow = Selectable<CiVariablesTable>;
export type NewVariableRow = Insertable<CiVariablesTable>;
export type VariableChange = Updateable<CiVariablesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    ci_variables: CiVariablesTable;
  }
}
