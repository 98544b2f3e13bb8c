import { sql } from 'kysely';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Services } from '../../platform/services.ts';

const day = 24 * 60 * 60 * 1000;
const days = 30;

const startOf = (instant: number) => instant - (instant % day);

/** Counts one fetch or clone of a project. */
export async function recordFetch(db: Database, projectId: number, now = Date.now()): Promise<void> {
  await db.write((trx) =>
    trx
      .insertInto('project_fetches')
      .values({ project_id: projectId, day: startOf(now), count: 1 })
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'day']).doUpdateSet({ count: sql`project_fetches.count + 1` }),
      )
      .execute(),
  );
}

/** How often a project was fetched on each of the last thirty days, the latest first. */
export async function fetchStatistics({ db }: Services, { project }: ProjectSubject): Promise<object> {
  const rows = await db.read
    .selectFrom('project_fetches')
    .select(['day', 'count'])
    .where('project_id', '=', project.id)
    .where('day', '>', startOf(Date.now()) - days * day)
    .orderBy('day', 'desc')
    .execute();
  return {
    fetches: {
      total: rows.reduce((sum, row) => sum + row.count, 0),
      days: rows.map((row) => ({ count: row.count, date: new Date(row.day).toISOString().slice(0, 10) })),
    },
  };
}
