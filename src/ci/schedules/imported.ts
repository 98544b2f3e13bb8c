import { planLimits } from '../../access/limits/plan-limits.ts';
import type { Writer } from '../../platform/database/database.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { checkDescription } from './service.ts';
import * as store from './store.ts';
import type { NewScheduleRow, ScheduleRow } from './tables.ts';
import { nextRunOf } from './timing.ts';

/** Adds a schedule of an imported project. It stays inactive until its new owner activates it. */
export async function addImportedSchedule(
  trx: Writer,
  schedule: Omit<NewScheduleRow, 'active' | 'next_run_at' | 'inputs'>,
): Promise<ScheduleRow> {
  const most = (await planLimits(trx)).ci_pipeline_schedules;
  if ((await store.countSchedules(trx, schedule.project_id)) >= most) {
    throw new Invalid({ base: [`Maximum number of pipeline schedules (${most}) exceeded`] });
  }
  return store.insertSchedule(trx, {
    ...schedule,
    description: checkDescription(schedule.description),
    active: 0,
    next_run_at: nextRunOf(schedule, Date.now()),
  });
}
