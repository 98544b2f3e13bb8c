import { actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { Reader } from '../../platform/database/database.ts';
import { Forbidden, HttpError } from '../../platform/http/errors.ts';
import type { Job } from '../../platform/queue/queue.ts';
import type { CiJobRow } from '../jobs/public.ts';
import { findRef, refRights, startPipelineOnRef } from '../pipeline-creation/public.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import { inputsOf, valuePurpose } from './present.ts';
import { requireSchedule } from './service.ts';
import * as store from './store.ts';
import type { ScheduleRow } from './tables.ts';
import { nextRunOf } from './timing.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Starts the pipeline of a schedule. `userId` is the user who played it; null for a scheduled run by its owner. */
    'ci.run-schedule': { scheduleId: number; userId: number | null };
  }
}

const batchSize = 100;

/** Registers the jobs that start scheduled pipelines. */
export function scheduleJobs(services: Services): void {
  const { queue } = services;
  queue.recurring('schedules.start-due', { everyMs: 60_000 }, () => startDue(services));
  queue.defineJob('ci.run-schedule', (job) => run(services, job), { maxAttempts: 5, timeoutMs: 120_000 });
}

/** Moves every due schedule to its next run time and enqueues its pipeline, in one transaction. */
async function startDue({ db, queue }: Services): Promise<void> {
  for (let found = batchSize; found === batchSize; ) {
    found = await db.write(async (trx) => {
      const now = Date.now();
      const due = await store.lockDueSchedules(trx, now, batchSize);
      for (const schedule of due) {
        await store.updateSchedule(trx, schedule.id, { next_run_at: nextOrNull(schedule, now) });
        await queue.enqueue(trx, 'ci.run-schedule', { scheduleId: schedule.id, userId: null });
      }
      return due.length;
    });
  }
}

/** A later time zone database can drop a time zone. Such a schedule stops instead of failing on every run. */
function nextOrNull(schedule: ScheduleRow, now: number): number | null {
  try {
    return nextRunOf(schedule, now);
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
}

async function run(services: Services, job: Job<{ scheduleId: number; userId: number | null }>): Promise<void> {
  const { db } = services;
  const schedule = await store.scheduleById(db.read, job.payload.scheduleId);
  if (!schedule) return;
  const actor = await actorFor(services, job.payload.userId ?? schedule.owner_id);
  const found = await lookUpProject(db.read, `${schedule.project_id}`);
  const subject = found && actor && (await projectSubject(db.read, actor, found.project));
  if (!actor || !subject?.can('create_pipeline')) {
    // The owner may no longer run pipelines: deactivate the schedule until another user takes it over.
    if (job.payload.userId === null) await db.write((trx) => store.updateSchedule(trx, schedule.id, { active: 0 }));
    return;
  }
  const variables = (await store.scheduleVariables(db.read, schedule.id)).map(({ key, value, variable_type }) => ({
    key,
    value: services.encryption.decrypt(value, valuePurpose),
    variableType: variable_type,
  }));
  const inputs = Object.fromEntries(inputsOf(schedule).map(({ name, value }) => [name, value]));
  const origin = { scheduleId: schedule.id, predefined: { CI_PIPELINE_SCHEDULE_DESCRIPTION: schedule.description } };
  const request = { actor, subject, ref: schedule.ref, source: 'schedule', variables, inputs, ...origin };
  await startPipelineOnRef(services, request, { saveInvalid: true, also: (trx) => job.finish(trx) });
}

async function actorFor({ db, externalUrl }: Services, userId: number | null): Promise<SignedInActor | undefined> {
  const user = await findUser(db.read, userId);
  return user && accountRefusal(user, externalUrl) === undefined ? actorOnBehalfOf(user) : undefined;
}

/** Runs a schedule immediately as the caller. */
export async function playSchedule(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<{ message: string }> {
  const schedule = await requireSchedule(services, subject, id);
  const found = await findRef(services, subject, schedule.ref);
  const mayRun = !('problem' in found) && (await refRights(services, caller, subject, found.kind, found.name)).mayRun;
  if (!mayRun) throw new Forbidden();
  const payload = { scheduleId: id, userId: caller.user.id };
  await services.db.write((trx) => services.queue.enqueue(trx, 'ci.run-schedule', payload));
  return { message: '201 Created' };
}

/** Variables that describe the schedule which started a pipeline. */
export async function scheduleVariablesOfJob(
  _services: Services,
  db: Reader,
  _job: CiJobRow,
  { schedule_id }: PipelineRow,
) {
  const schedule = schedule_id === null ? undefined : await store.scheduleById(db, schedule_id);
  return schedule ? [{ key: 'CI_PIPELINE_SCHEDULE_DESCRIPTION', value: schedule.description }] : [];
}
