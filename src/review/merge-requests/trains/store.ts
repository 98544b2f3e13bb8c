import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { CarRow, MergeTrainCarsTable } from './tables.ts';

const current = statement((db, param: Param<{ request: number }>) =>
  db
    .selectFrom('merge_train_cars')
    .selectAll()
    .where('merge_request_id', '=', param('request'))
    .where('merged_at', 'is', null),
);

/** The current car of a merge request. */
export function carOf(db: Reader, requestId: number): Promise<CarRow | undefined> {
  return current.first(db, { request: requestId });
}

/** The current or most recent car of a merge request. */
export function lastCarOf(db: Reader, requestId: number): Promise<CarRow | undefined> {
  return db
    .selectFrom('merge_train_cars')
    .selectAll()
    .where('merge_request_id', '=', requestId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The first cars of a train. */
export function carsOf(db: Reader, projectId: number, branch: string, limit: number): Promise<CarRow[]> {
  return db
    .selectFrom('merge_train_cars')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('target_branch', '=', branch)
    .where('merged_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Position of a car on its train, starting at 1. */
export async function positionOf(db: Reader, car: CarRow): Promise<number> {
  const { cars } = await db
    .selectFrom('merge_train_cars')
    .select(({ fn }) => fn.countAll<number>().as('cars'))
    .where('project_id', '=', car.project_id)
    .where('target_branch', '=', car.target_branch)
    .where('merged_at', 'is', null)
    .where('id', '<=', car.id)
    .executeTakeFirstOrThrow();
  return Number(cars);
}

export function insertCar(trx: Writer, row: Insertable<MergeTrainCarsTable>): Promise<CarRow> {
  return trx.insertInto('merge_train_cars').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Updates a car, unless it has been changed or removed concurrently. */
export function changeCar(
  trx: Writer,
  { id, train_sha, pipeline_id }: Pick<CarRow, 'id' | 'train_sha' | 'pipeline_id'>,
  change: Updateable<MergeTrainCarsTable>,
): Promise<CarRow | undefined> {
  return trx
    .updateTable('merge_train_cars')
    .set({ ...change, updated_at: Date.now() })
    .where('id', '=', id)
    .where('merged_at', 'is', null)
    .where('train_sha', 'is not distinct from', train_sha)
    .where('pipeline_id', 'is not distinct from', pipeline_id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteCar(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('merge_train_cars').where('id', '=', id).execute();
}
