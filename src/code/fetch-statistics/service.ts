import { sql } from 'kysely';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

const day = 24 * 60 * 60 * 1000;
const days = 30;

const startOf = (instant: number) => instant - (instant % day);

const add = statement((db, param: Param<{ project: number; day: number; count: number }>) =>
  db
    .insertInto('project_fetches')
    .columns(['project_id', 'day', 'count'])
    .expression((eb) =>
      eb
        .selectFrom('projects')
        .select((row) => [
          'id',
          row.cast<number>(param('day'), 'bigint').as('day'),
          row.cast<number>(param('count'), 'bigint').as('count'),
        ])
        .where('id', '=', param('project')),
    )
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'day']).doUpdateSet({ count: sql`project_fetches.count + excluded.count` }),
    ),
);

/** Counts fetches and clones, by the numbers of the projects; one that has gone since counts no more. */
export async function recordFetches(
  db: Database,
  counts: ReadonlyMap<number, number>,
  now = Date.now(),
): Promise<void> {
  const day = startOf(now);
  await db.write(async (trx) => {
    for (const [project, count] of [...counts].sort(([a], [b]) => a - b)) await add.run(trx, { project, day, count });
  });
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
