import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { maySetVariables } from '../pipeline-creation/public.ts';
import { presentVariable, valuePurpose } from './present.ts';
import type { NewVariableParams, ScheduleVariableEntity, VariableChangeParams } from './schema.ts';
import { canViewSecrets, requireOwnership, requireSchedule } from './service.ts';
import * as store from './store.ts';

const notFound = () => new NotFound('Pipeline Schedule Variable');

async function requireOwnedSchedule(services: Services, caller: SignedInActor, subject: ProjectSubject, id: number) {
  const schedule = await requireSchedule(services, subject, id);
  requireOwnership(caller, subject, schedule);
  if (!maySetVariables(subject)) throw new Forbidden();
}

export async function getVariable(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  key: string,
): Promise<ScheduleVariableEntity> {
  const schedule = await requireSchedule(services, subject, id);
  if (!canViewSecrets(caller, subject, schedule)) throw new Forbidden();
  const row = await store.scheduleVariable(services.db.read, id, key);
  if (!row) throw notFound();
  return presentVariable(services, row);
}

export async function createVariable(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { pipeline_schedule_id: id, key, value, variable_type }: NewVariableParams,
): Promise<ScheduleVariableEntity> {
  await requireOwnedSchedule(services, caller, subject, id);
  if (!/^\w{1,255}$/.test(key)) throw new Invalid({ key: ["can contain only letters, digits and '_'."] });
  const sealed = services.encryption.encrypt(value, valuePurpose);
  const row = await services.db
    .write((trx) => store.insertScheduleVariable(trx, { schedule_id: id, key, value: sealed, variable_type }))
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid({ key: ['has already been taken'] }) : error;
    });
  return presentVariable(services, row);
}

export async function updateVariable(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { pipeline_schedule_id: id, key, value, variable_type }: VariableChangeParams,
): Promise<ScheduleVariableEntity> {
  await requireOwnedSchedule(services, caller, subject, id);
  const change = {
    ...(value === undefined ? {} : { value: services.encryption.encrypt(value, valuePurpose) }),
    ...(variable_type === undefined ? {} : { variable_type }),
  };
  const row =
    Object.keys(change).length === 0
      ? await store.scheduleVariable(services.db.read, id, key)
      : await services.db.write((trx) => store.updateScheduleVariable(trx, id, key, change));
  if (!row) throw notFound();
  return presentVariable(services, row);
}

export async function deleteVariable(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  key: string,
): Promise<ScheduleVariableEntity> {
  await requireOwnedSchedule(services, caller, subject, id);
  const row = await store.scheduleVariable(services.db.read, id, key);
  if (!row) throw notFound();
  await services.db.write((trx) => store.deleteScheduleVariable(trx, id, key));
  return presentVariable(services, row);
}
