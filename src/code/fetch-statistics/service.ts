import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Database } from '../../platform/database/database.ts';
import type { FetchStatisticsEntity } from './schema.ts';
import { addFetches, fetchesAfter } from './store.ts';

const day = 24 * 60 * 60 * 1000;
const days = 30;

const startOf = (instant: number) => instant - (instant % day);

/** Adds fetch and clone counts by project ID. Projects deleted meanwhile are ignored. */
export async function recordFetches(
  db: Database,
  counts: ReadonlyMap<number, number>,
  now = Date.now(),
): Promise<void> {
  const today = startOf(now);
  await db.write(async (trx) => {
    for (const [project, count] of [...counts].sort(([a], [b]) => a - b)) await addFetches(trx, project, today, count);
  });
}

/** Returns the fetches per day of the last thirty days, newest first. */
export async function fetchStatistics({ db }: Services, { project }: ProjectSubject): Promise<FetchStatisticsEntity> {
  const rows = await fetchesAfter(db.read, project.id, startOf(Date.now()) - days * day);
  return {
    fetches: {
      total: rows.reduce((sum, row) => sum + row.count, 0),
      days: rows.map((row) => ({ count: row.count, date: new Date(row.day).toISOString().slice(0, 10) })),
    },
  };
}
