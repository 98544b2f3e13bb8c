import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

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

/** Adds to the fetch count of a project on a day. Does nothing if the project does not exist. */
export async function addFetches(trx: Writer, project: number, day: number, count: number): Promise<void> {
  await add.run(trx, { project, day, count });
}

/** Lists the daily fetches of a project after a day, newest first. */
export function fetchesAfter(db: Reader, project: number, day: number): Promise<{ day: number; count: number }[]> {
  return db
    .selectFrom('project_fetches')
    .select(['day', 'count'])
    .where('project_id', '=', project)
    .where('day', '>', day)
    .orderBy('day', 'desc')
    .execute();
}
