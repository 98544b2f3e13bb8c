import type { SignedInActor } from '../../access/actor.ts';
import { planLimits } from '../../access/limits/plan-limits.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { projectUrl } from '../../code/repository/public.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { findRef, refRights } from '../pipeline-creation/public.ts';
import { pipelineList, presentBasic } from '../pipelines/public.ts';
import { inputsOf, presentDetails, presentSchedules, type ScheduleInput } from './present.ts';
import type {
  NewScheduleParams,
  ScheduleChangeParams,
  ScheduleDetailsEntity,
  ScheduleEntity,
  SchedulePipelinesParams,
} from './schema.ts';
import * as store from './store.ts';
import type { ScheduleRow } from './tables.ts';
import { nextRunOf } from './timing.ts';

const maxInputs = 20;

export async function requireSchedule({ db }: Services, subject: ProjectSubject, id: number): Promise<ScheduleRow> {
  const row = await store.scheduleOfProject(db.read, subject.project.id, id);
  if (!row) throw new NotFound('Pipeline Schedule');
  return row;
}

/** Inputs and variables are visible to the owner of the schedule and to Maintainers. */
export function canViewSecrets(caller: SignedInActor, subject: ProjectSubject, row: ScheduleRow): boolean {
  const own = row.owner_id === caller.user.id && subject.can('create_pipeline');
  return own || subject.can('admin_pipeline');
}

/** Other users must take ownership before changing a schedule, because it runs as its owner. */
export function requireOwnership(caller: SignedInActor, subject: ProjectSubject, row: ScheduleRow): void {
  if (caller.user.admin === 1) return;
  if (row.owner_id !== caller.user.id || !subject.can('create_pipeline')) throw new Forbidden();
}

export async function listSchedules(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  scope: 'active' | 'inactive' | undefined,
  page: PageRequest,
): Promise<Page<ScheduleEntity>> {
  const active = scope === undefined ? undefined : scope === 'active';
  const { rows, total } = await store.listSchedules(services.db.read, subject.project.id, active, page);
  const entities = await presentSchedules(services, rows, (row) => canViewSecrets(caller, subject, row));
  return new Page(entities, total);
}

export async function getSchedule(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<ScheduleDetailsEntity> {
  const row = await requireSchedule(services, subject, id);
  if (!canViewSecrets(caller, subject, row)) return presentDetails(services, subject, row);
  return presentDetails(services, subject, row, await store.scheduleVariables(services.db.read, id));
}

/** Resolves a ref to its full name, provided the caller may run pipelines on it. */
async function checkRef(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  ref: string,
  action: 'create' | 'update',
): Promise<string> {
  const found = await findRef(services, subject, ref);
  if ('problem' in found) throw new Invalid({ ref: ['is ambiguous'] });
  const rights = await refRights(services, caller, subject, found.kind, found.name);
  if (!rights.mayRun) {
    throw new Invalid({ base: [`The current user is not authorized to ${action} the pipeline schedule`] });
  }
  return `refs/${found.kind === 'tag' ? 'tags' : 'heads'}/${found.name}`;
}

export function checkDescription(description: string): string {
  if (description.trim() === '') throw new Invalid({ description: ["can't be blank"] });
  const lengthError = lengthProblem(description, 255);
  if (lengthError !== undefined) throw new Invalid({ description: [lengthError] });
  return description;
}

function storedInputs(inputs: readonly ScheduleInput[]): string {
  if (inputs.length > maxInputs) throw new Invalid({ base: [`There cannot be more than ${maxInputs} inputs`] });
  return JSON.stringify(inputs);
}

export async function createSchedule(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: NewScheduleParams,
): Promise<ScheduleDetailsEntity> {
  const now = Date.now();
  const row = {
    project_id: subject.project.id,
    owner_id: caller.user.id,
    description: checkDescription(params.description),
    cron: params.cron,
    cron_timezone: params.cron_timezone,
    next_run_at: nextRunOf(params, now),
    ref: await checkRef(services, caller, subject, params.ref, 'create'),
    active: params.active ? 1 : 0,
    inputs: storedInputs((params.inputs ?? []).map(({ name, value }) => ({ name, value }))),
    created_at: now,
    updated_at: now,
  };
  const created = await services.db.write(async (trx) => {
    await acquireLock(trx, `schedules of ${subject.project.id}`);
    const most = (await planLimits(trx)).ci_pipeline_schedules;
    if ((await store.countSchedules(trx, subject.project.id)) >= most) {
      throw new Invalid({ base: [`Maximum number of pipeline schedules (${most}) exceeded`] });
    }
    return store.insertSchedule(trx, row);
  });
  return presentDetails(services, subject, created);
}

export async function updateSchedule(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: ScheduleChangeParams,
): Promise<ScheduleDetailsEntity> {
  const old = await requireSchedule(services, subject, params.pipeline_schedule_id);
  requireOwnership(caller, subject, old);
  const ref = await checkRef(services, caller, subject, params.ref ?? old.ref, 'update');
  const now = Date.now();
  const row = await services.db.write(async (trx) => {
    const locked = await store.lockSchedule(trx, old.id);
    if (!locked) throw new NotFound('Pipeline Schedule');
    const cron = params.cron ?? locked.cron;
    const zone = params.cron_timezone ?? locked.cron_timezone;
    const active = params.active ?? locked.active === 1;
    const timed = cron !== locked.cron || zone !== locked.cron_timezone || active !== (locked.active === 1);
    const inputs = new Map(inputsOf(locked).map((one) => [one.name, one]));
    for (const { name, value, destroy } of params.inputs ?? []) {
      if (destroy) inputs.delete(name);
      else inputs.set(name, { name, value });
    }
    return store.updateSchedule(trx, old.id, {
      description: params.description === undefined ? locked.description : checkDescription(params.description),
      ref,
      cron,
      cron_timezone: zone,
      active: active ? 1 : 0,
      inputs: storedInputs([...inputs.values()]),
      ...(timed ? { next_run_at: nextRunOf({ cron, cron_timezone: zone }, now) } : {}),
      updated_at: now,
    });
  });
  return presentDetails(services, subject, row);
}

/** Makes the caller the owner of a schedule. `taken` is false if the caller already owned it. */
export async function takeOwnership(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<{ readonly taken: boolean; readonly schedule: ScheduleDetailsEntity }> {
  const old = await requireSchedule(services, subject, id);
  const taken = old.owner_id !== caller.user.id;
  const row = taken
    ? await services.db.write((trx) =>
        store.updateSchedule(trx, id, { owner_id: caller.user.id, updated_at: Date.now() }),
      )
    : old;
  return { taken, schedule: await presentDetails(services, subject, row) };
}

export async function deleteSchedule(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<void> {
  const row = await requireSchedule(services, subject, id);
  if (row.owner_id !== caller.user.id && !subject.can('admin_pipeline')) throw new Forbidden();
  await services.db.write((trx) => store.deleteSchedule(trx, id));
}

export async function listSchedulePipelines(
  services: Services,
  subject: ProjectSubject,
  { id: _, pipeline_schedule_id: schedule_id, sort: direction, ...filters }: SchedulePipelinesParams,
  page: PageRequest,
) {
  await requireSchedule(services, subject, schedule_id);
  const { rows, total } = await pipelineList.page(
    services.db.read,
    { project: subject.project.id, children: false },
    { ...filters, schedule_id },
    { by: 'id', direction },
    page,
  );
  const url = projectUrl(services, subject);
  return new Page(rows, total).map((row) => presentBasic(row, url));
}
