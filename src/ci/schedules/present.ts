import Type, { type Static } from 'typebox';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { projectUrl } from '../../code/repository/public.ts';
import { basicUsers } from '../../people/users/public.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import { storedJson } from '../../platform/stored-json.ts';
import { newestOfSchedule, presentBasic } from '../pipelines/public.ts';
import type { ScheduleDetailsEntity, ScheduleEntity, ScheduleVariableEntity } from './schema.ts';
import type { ScheduleRow, ScheduleVariableRow } from './tables.ts';

export const valuePurpose = 'pipeline_schedule_variables.value';

const ScheduleInput = Type.Object({ name: Type.String(), value: Type.Unknown() });
/** A pipeline input set by a schedule. */
export type ScheduleInput = Static<typeof ScheduleInput>;
const storedInputs = storedJson(Type.Array(ScheduleInput));

export function inputsOf({ inputs }: ScheduleRow): ScheduleInput[] {
  return storedInputs(inputs);
}

/** Presents schedules for lists. `inputs` are included only for rows accepted by `showsInputs`. */
export async function presentSchedules(
  { db, externalUrl }: Services,
  rows: readonly ScheduleRow[],
  showsInputs: (row: ScheduleRow) => boolean,
): Promise<ScheduleEntity[]> {
  const owners = await basicUsers(
    db.read,
    rows.map(({ owner_id }) => owner_id),
    externalUrl,
  );
  return rows.map((row) => ({
    id: row.id,
    description: row.description,
    ref: row.ref,
    cron: row.cron,
    cron_timezone: row.cron_timezone,
    next_run_at: instantOrNull(row.next_run_at),
    active: row.active === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    owner: (row.owner_id !== null && owners.get(row.owner_id)) || null,
    ...(showsInputs(row) ? { inputs: inputsOf(row).map(({ name, value }) => ({ name, value: value ?? null })) } : {}),
  }));
}

/** Presents a single schedule with its last pipeline, and with its variables if given. */
export async function presentDetails(
  services: Services,
  subject: ProjectSubject,
  row: ScheduleRow,
  variables?: readonly ScheduleVariableRow[],
): Promise<ScheduleDetailsEntity> {
  const [entity] = await presentSchedules(services, [row], () => variables !== undefined);
  if (!entity) throw new Error('presentSchedules returned no entity');
  const last = await newestOfSchedule(services.db.read, row.id);
  return {
    ...entity,
    last_pipeline: last ? presentBasic(last, projectUrl(services, subject)) : null,
    ...(variables ? { variables: variables.map((one) => presentVariable(services, one)) } : {}),
  };
}

export function presentVariable({ encryption }: Services, row: ScheduleVariableRow): ScheduleVariableEntity {
  const { key, variable_type, value } = row;
  return { variable_type, key, value: encryption.decrypt(value, valuePurpose), raw: false };
}
