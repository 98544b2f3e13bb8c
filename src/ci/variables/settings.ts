import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { mostSpecific } from './environment-scope.ts';
import { variablesReaching } from './store.ts';
import type { VariableRow } from './tables.ts';

export const valuePurpose = 'ci_variables.value';

/** A variable as passed to jobs. */
export interface JobVariable {
  readonly key: string;
  readonly value: string;
  /** Whether service containers get it too. */
  readonly public: boolean;
  readonly masked: boolean;
  readonly file: boolean;
  readonly raw: boolean;
}

/** Variables from instance, group and project settings that apply to an environment, in ascending precedence. */
export type SettingVariables = (environment: string | null) => readonly JobVariable[];

/**
 * Loads the variables configured for a project. Protected variables are left out unless the job runs on a protected
 * ref.
 */
export async function settingVariables(
  { encryption }: Pick<Services, 'encryption'>,
  db: Reader,
  project: Pick<Project, 'id' | 'namespace_id'>,
  onProtectedRef: boolean,
): Promise<SettingVariables> {
  const rows = (await variablesReaching(db, project)).filter((row) => onProtectedRef || row.protected === 0);
  const ordered = [...Map.groupBy(rows, layerOf)].sort(([one], [other]) => one - other).map(([, layer]) => layer);
  const decrypted = new Map<number, JobVariable>();
  const decrypt = (row: VariableRow): JobVariable => {
    const variable = decrypted.get(row.id) ?? {
      key: row.key,
      value: encryption.decrypt(row.value, valuePurpose),
      public: false,
      masked: row.masked === 1,
      file: row.variable_type === 'file',
      raw: row.raw === 1,
    };
    decrypted.set(row.id, variable);
    return variable;
  };
  return (environment) => ordered.flatMap((layer) => mostSpecific(layer, environment).map(decrypt));
}

/** Orders layers: instance, then groups from the root down, then the project. */
function layerOf(row: { project_id: number | null; depth: number | null }): number {
  if (row.project_id !== null) return 1;
  return row.depth === null ? Number.NEGATIVE_INFINITY : -row.depth;
}
