import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { closest } from './environment-scope.ts';
import { variablesReaching } from './store.ts';
import type { VariableRow } from './tables.ts';

export const valuePurpose = 'ci_variables.value';

/** A variable as jobs get it. */
export interface JobVariable {
  readonly key: string;
  readonly value: string;
  /** Reaches service containers too. */
  readonly public: boolean;
  readonly masked: boolean;
  readonly file: boolean;
  readonly raw: boolean;
}

/** What the variables of the instance, of groups and of a project come to for jobs of an environment, lowest first. */
export type SettingVariables = (environment: string | null) => readonly JobVariable[];

/** Reads what is set around a project. Protected variables are kept from what does not run on a protected ref. */
export async function settingVariables(
  { encryption }: Pick<Services, 'encryption'>,
  db: Reader,
  project: Pick<Project, 'id' | 'namespace_id'>,
  onProtectedRef: boolean,
): Promise<SettingVariables> {
  const rows = (await variablesReaching(db, project)).filter((row) => onProtectedRef || row.protected === 0);
  const ordered = [...Map.groupBy(rows, layerOf)].sort(([one], [other]) => one - other).map(([, layer]) => layer);
  const opened = new Map<number, JobVariable>();
  const open = (row: VariableRow): JobVariable => {
    const known = opened.get(row.id) ?? {
      key: row.key,
      value: encryption.decrypt(row.value, valuePurpose),
      public: false,
      masked: row.masked === 1,
      file: row.variable_type === 'file',
      raw: row.raw === 1,
    };
    opened.set(row.id, known);
    return known;
  };
  return (environment) => ordered.flatMap((layer) => closest(layer, environment).map(open));
}

/** The instance first, then groups from the top down, then the project. */
function layerOf(row: { project_id: number | null; depth: number | null }): number {
  if (row.project_id !== null) return 1;
  return row.depth === null ? Number.NEGATIVE_INFINITY : -row.depth;
}
