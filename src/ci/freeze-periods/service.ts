import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Reader } from '../../platform/database/database.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { instant } from '../../platform/http/schema.ts';
import type { FreezePeriodEntity, NewPeriodParams, PeriodChangeParams } from './schema.ts';
import * as store from './store.ts';
import type { FreezePeriodRow } from './tables.ts';
import { isFrozen, type PeriodTimes, problemsOf } from './timing.ts';

/** Limited because every pipeline and job evaluates all of them. */
const maxPeriods = 50;

function present({ project_id: _, created_at, updated_at, ...row }: FreezePeriodRow): FreezePeriodEntity {
  return { ...row, created_at: instant(created_at), updated_at: instant(updated_at) };
}

async function requirePeriod(db: Reader, { project }: ProjectSubject, id: number): Promise<FreezePeriodRow> {
  const row = await store.periodOfProject(db, project.id, id);
  if (!row) throw new NotFound('Freeze Period');
  return row;
}

function validated(times: PeriodTimes): PeriodTimes {
  const problems = problemsOf(times);
  if (problems) throw new Invalid(problems);
  return times;
}

export async function listPeriods({ db }: Services, { project }: ProjectSubject, slice: Slice) {
  const { rows, total } = await store.listPeriods(db.read, project.id, slice);
  return new Page(rows, total).map(present);
}

export async function getPeriod({ db }: Services, subject: ProjectSubject, id: number): Promise<FreezePeriodEntity> {
  return present(await requirePeriod(db.read, subject, id));
}

export async function createPeriod(
  { db }: Services,
  { project }: ProjectSubject,
  { freeze_start, freeze_end, cron_timezone }: NewPeriodParams,
): Promise<FreezePeriodEntity> {
  const times = validated({ freeze_start, freeze_end, cron_timezone });
  const now = Date.now();
  const row = await db.write(async (trx) => {
    await acquireLock(trx, `freeze periods of ${project.id}`);
    if ((await store.countPeriods(trx, project.id)) >= maxPeriods) {
      throw new Invalid({ base: [`Maximum number of freeze periods (${maxPeriods}) exceeded`] });
    }
    return store.insertPeriod(trx, { project_id: project.id, ...times, created_at: now, updated_at: now });
  });
  return present(row);
}

export async function updatePeriod(
  { db }: Services,
  subject: ProjectSubject,
  { freeze_period_id, freeze_start, freeze_end, cron_timezone }: PeriodChangeParams,
): Promise<FreezePeriodEntity> {
  const row = await db.write(async (trx) => {
    const current = await requirePeriod(trx, subject, freeze_period_id);
    // Omitted attributes are not written, so that concurrent updates of them are not lost.
    const change = {
      ...(freeze_start !== undefined && { freeze_start }),
      ...(freeze_end !== undefined && { freeze_end }),
      ...(cron_timezone !== undefined && { cron_timezone }),
    };
    validated({ ...current, ...change });
    return store.updatePeriod(trx, current.id, { ...change, updated_at: Date.now() });
  });
  if (!row) throw new NotFound('Freeze Period');
  return present(row);
}

export async function deletePeriod({ db }: Services, subject: ProjectSubject, id: number): Promise<void> {
  await db.write(async (trx) => {
    const { id: found } = await requirePeriod(trx, subject, id);
    await store.deletePeriod(trx, found);
  });
}

/** Variables set for pipelines and jobs during a freeze period; rules may test them. */
export async function freezeVariables(
  _services: Services,
  db: Reader,
  { projectId }: { readonly projectId: number },
): Promise<Record<string, string>> {
  const now = Date.now();
  const periods = await store.periodsOfProject(db, projectId);
  return periods.some((period) => isFrozen(period, now)) ? { CI_DEPLOY_FREEZE: 'true' } : {};
}
