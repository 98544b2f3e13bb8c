import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow, lockRows } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { NewScheduleRow, ScheduleChange, ScheduleRow, ScheduleVariableRow } from './tables.ts';

export function listSchedules(db: Reader, projectId: number, active: boolean | undefined, slice: Slice) {
  let query = db.selectFrom('pipeline_schedules').selectAll().where('project_id', '=', projectId);
  if (active !== undefined) query = query.where('active', '=', active ? 1 : 0);
  return fetchPage(db, query.orderBy('id'), slice);
}

export function scheduleOfProject(db: Reader, projectId: number, id: number): Promise<ScheduleRow | undefined> {
  return db
    .selectFrom('pipeline_schedules')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function scheduleById(db: Reader, id: number): Promise<ScheduleRow | undefined> {
  return db.selectFrom('pipeline_schedules').selectAll().where('id', '=', id).executeTakeFirst();
}

export function lockSchedule(trx: Writer, id: number): Promise<ScheduleRow | undefined> {
  return lockRow(trx, 'pipeline_schedules', id);
}

export async function countSchedules(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('pipeline_schedules')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Locks due schedules. Concurrent transactions skip them, and later ones find them rescheduled. */
export async function lockDueSchedules(trx: Writer, now: number, limit: number): Promise<ScheduleRow[]> {
  const due = await trx
    .selectFrom('pipeline_schedules')
    .select('id')
    .where('active', '=', 1)
    .where('next_run_at', '<=', now)
    .orderBy('next_run_at')
    .limit(limit)
    .execute();
  const rows = await lockRows(
    trx,
    'pipeline_schedules',
    due.map(({ id }) => id),
  );
  return rows.filter((row) => row.active === 1 && row.next_run_at !== null && row.next_run_at <= now);
}

export function insertSchedule(trx: Writer, row: NewScheduleRow): Promise<ScheduleRow> {
  return trx.insertInto('pipeline_schedules').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateSchedule(trx: Writer, id: number, change: ScheduleChange): Promise<ScheduleRow> {
  return trx
    .updateTable('pipeline_schedules')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteSchedule(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('pipeline_schedules').where('id', '=', id).execute();
}

/** Schedules run as their owner, so schedules without one are deactivated. */
export async function deactivateSchedulesOf(trx: Writer, ownerId: number): Promise<void> {
  await trx
    .updateTable('pipeline_schedules')
    .set({ active: 0, owner_id: null })
    .where('owner_id', '=', ownerId)
    .execute();
}

export function scheduleVariables(db: Reader, scheduleId: number): Promise<ScheduleVariableRow[]> {
  return db
    .selectFrom('pipeline_schedule_variables')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .orderBy('key')
    .execute();
}

export function scheduleVariable(db: Reader, scheduleId: number, key: string) {
  return db
    .selectFrom('pipeline_schedule_variables')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .executeTakeFirst();
}

export function insertScheduleVariable(trx: Writer, row: ScheduleVariableRow): Promise<ScheduleVariableRow> {
  return trx.insertInto('pipeline_schedule_variables').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateScheduleVariable(
  trx: Writer,
  scheduleId: number,
  key: string,
  change: Partial<Pick<ScheduleVariableRow, 'value' | 'variable_type'>>,
): Promise<ScheduleVariableRow | undefined> {
  return trx
    .updateTable('pipeline_schedule_variables')
    .set(change)
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteScheduleVariable(trx: Writer, scheduleId: number, key: string): Promise<void> {
  await trx
    .deleteFrom('pipeline_schedule_variables')
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .execute();
}
