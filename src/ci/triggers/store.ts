import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { NewTriggerRow, TriggerRow } from './tables.ts';

export function listTriggers(db: Reader, projectId: number, slice: Slice) {
  const query = db.selectFrom('pipeline_triggers').selectAll().where('project_id', '=', projectId).orderBy('id');
  return fetchPage(db, query, slice);
}

export function triggerOfProject(db: Reader, projectId: number, id: number): Promise<TriggerRow | undefined> {
  return db
    .selectFrom('pipeline_triggers')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function triggerByDigest(db: Reader, digest: string): Promise<TriggerRow | undefined> {
  return db.selectFrom('pipeline_triggers').selectAll().where('token_digest', '=', digest).executeTakeFirst();
}

export async function countTriggers(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('pipeline_triggers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function insertTrigger(trx: Writer, row: NewTriggerRow): Promise<TriggerRow> {
  return trx.insertInto('pipeline_triggers').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateTrigger(
  trx: Writer,
  id: number,
  change: Partial<Pick<TriggerRow, 'description' | 'updated_at' | 'last_used_at'>>,
): Promise<TriggerRow> {
  return trx.updateTable('pipeline_triggers').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteTrigger(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('pipeline_triggers').where('id', '=', id).execute();
}

export async function deleteTriggersOf(trx: Writer, ownerId: number): Promise<void> {
  await trx.deleteFrom('pipeline_triggers').where('owner_id', '=', ownerId).execute();
}

/** Finds the job with a token digest. */
export function jobByToken(db: Reader, digest: string) {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'pipeline_id', 'project_id', 'user_id', 'status', 'erased_at'])
    .where('token_digest', '=', digest)
    .executeTakeFirst();
}
